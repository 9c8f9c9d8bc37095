/**
 * Checks that every import in built modules finds what it takes.
 *
 * Idea      A static import of a missing name fails when the program starts. A dynamic one gives
 *           `undefined`, at the first use of a rare flag. The usual cause: a package in CommonJS,
 *           whose chunk exports nothing but `default`.
 * Ensures   One sentence for each import of a file that is not there, and for each name that is
 *           taken from a module that does not export it. Packages outside the folder are loaded.
 * Limits    Names are seen in `const { a } = await import(x)`, in lists of `Promise.all`, in
 *           `(await import(x)).a`, and in uses of a variable that holds the module. Where the
 *           module is passed on, it must export something else than `default`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

interface Taken {
  /** What stands in the import. */
  readonly from: string;
  /** The names that are taken; undefined if the module is passed on. */
  readonly names: readonly string[] | undefined;
}

interface Module {
  readonly taken: readonly Taken[];
  readonly exported: ReadonlySet<string>;
}

/** What is wrong with the modules of a folder; empty if nothing is. */
export async function wrongImports(folder: string): Promise<string[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const modules = new Map(
    files.map((name) => [`./${name}`, readModule(readFileSync(join(folder, name), 'utf8'))]),
  );
  const outside = new Map<string, ReadonlySet<string> | undefined>();
  const wrong = new Set<string>();
  for (const [path, { taken }] of modules) {
    for (const { from, names } of taken) {
      const inside = from.startsWith('.');
      if (!inside && !outside.has(from)) outside.set(from, await exportsOf(from));
      const exported = inside ? modules.get(from)?.exported : outside.get(from);
      if (exported === undefined) wrong.add(`${path} imports ${from}, which is not there.`);
      else if (names === undefined) {
        if (exported.size === 1 && exported.has('default'))
          wrong.add(`${path} imports ${from}, which exports only "default".`);
      } else
        for (const name of names.filter((each) => !exported.has(each)))
          wrong.add(`${path} takes "${name}" from ${from}, which does not export it.`);
    }
  }
  return [...wrong];
}

/** The names that a package or a module of Node exports. */
const exportsOf = (name: string): Promise<ReadonlySet<string> | undefined> =>
  import(name).then(
    (module) => new Set(Object.keys(module)),
    () => undefined,
  );

function readModule(text: string): Module {
  const source = ts.createSourceFile('m.js', text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const taken: Taken[] = [];
  const exported = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      taken.push({ from: textOf(statement.moduleSpecifier), names: staticNames(statement) });
    } else if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
      if (ts.isNamedExports(statement.exportClause))
        for (const { name } of statement.exportClause.elements) exported.add(name.text);
    } else if (ts.isExportAssignment(statement)) exported.add('default');
  }
  const walk = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [path] = node.arguments;
      if (ts.isStringLiteral(path)) taken.push({ from: path.text, names: namesTaken(node) });
    }
    ts.forEachChild(node, walk);
  };
  // The walk is slow, and most chunks have no dynamic import.
  if (/\bimport\(/.test(text)) walk(source);
  return { taken, exported };
}

const textOf = (node: ts.Node): string => (ts.isStringLiteral(node) ? node.text : '');

function staticNames({ importClause }: ts.ImportDeclaration): string[] {
  const names = importClause?.name === undefined ? [] : ['default'];
  const bindings = importClause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) return names;
  return [...names, ...bindings.elements.map((one) => (one.propertyName ?? one.name).text)];
}

/** Follows the value of an `import()` outwards, up to the names that are taken from it. */
function namesTaken(call: ts.Node): readonly string[] | undefined {
  let node = call;
  let place: number | undefined; // in the list of a Promise.all
  for (;;) {
    const { parent } = node;
    if (ts.isAwaitExpression(parent) || ts.isParenthesizedExpression(parent)) node = parent;
    else if (ts.isArrayLiteralExpression(parent) && ts.isCallExpression(parent.parent)) {
      place = parent.elements.indexOf(node as ts.Expression);
      node = parent.parent;
    } else if (ts.isPropertyAccessExpression(parent)) {
      if (parent.name.text !== 'catch')
        return ts.isAwaitExpression(call.parent) ? [parent.name.text] : undefined;
      node = parent.parent; // the value of `import(x).catch(…)` is that of the import
    } else if (ts.isVariableDeclaration(parent)) return namesBound(parent.name, place);
    else return undefined;
  }
}

function namesBound(
  name: ts.BindingName,
  place: number | undefined,
): readonly string[] | undefined {
  let bound = name;
  if (place !== undefined) {
    const element = ts.isArrayBindingPattern(name) ? name.elements[place] : undefined;
    if (element === undefined || !ts.isBindingElement(element)) return undefined;
    bound = element.name;
  }
  if (ts.isIdentifier(bound)) return namesUsed(bound);
  if (!ts.isObjectBindingPattern(bound)) return undefined;
  return bound.elements.map(({ propertyName, name: own }) => (propertyName ?? own).getText());
}

/** The properties of a variable that its function reads; undefined if it is used as a whole. */
function namesUsed(variable: ts.Identifier): readonly string[] | undefined {
  let scope: ts.Node = variable;
  while (!ts.isFunctionLike(scope) && !ts.isSourceFile(scope)) scope = scope.parent;
  const names: string[] = [];
  let whole = false;
  const walk = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === variable.text && node !== variable) {
      const { parent } = node;
      if (!ts.isPropertyAccessExpression(parent)) whole ||= !ts.isPropertyAssignment(parent);
      else if (parent.expression === node) names.push(parent.name.text);
    }
    ts.forEachChild(node, walk);
  };
  walk(scope);
  return whole && names.length === 0 ? undefined : names;
}
