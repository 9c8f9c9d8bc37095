/** Which types of a module's exports can nobody import from the same module? */
import ts from 'typescript';

/** The files as one program: it takes as long as for one of them. */
export function programOf(paths: readonly string[]): ts.Program {
  return ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    types: ['node'],
  });
}

/** The names of types of this package that exports of the file refer to without being exported. */
export function notExported(program: ts.Program, path: string): string[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${path} is not a module`);
  const exported = new Set(
    checker.getExportsOfModule(module).map((symbol) => resolved(checker, symbol)),
  );
  const missing = new Set<string>();

  const visit = (node: ts.Node): void => {
    // What is private is in the declarations by name only.
    if (ts.isPrivateIdentifier(node)) return;
    const name = referredBy(node);
    if (name) {
      const symbol = checker.getSymbolAtLocation(name);
      const target = symbol && resolved(checker, symbol);
      if (target && isOurs(target) && !exported.has(target)) missing.add(target.name);
    }
    ts.forEachChild(node, visit);
  };
  for (const symbol of exported) symbol.declarations?.forEach(visit);
  return [...missing].sort();
}

/** The name in a reference to a type: `Name`, `extends Name`, `typeof name`. */
function referredBy(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return ts.isTypeQueryNode(node) ? node.exprName : undefined;
}

function resolved(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Declared by the package itself, and no parameter of a generic type. */
function isOurs(symbol: ts.Symbol): boolean {
  if (symbol.flags & ts.SymbolFlags.TypeParameter) return false;
  return (symbol.declarations ?? []).some((each) =>
    /\/drumlin\/dist\//.test(each.getSourceFile().fileName),
  );
}
