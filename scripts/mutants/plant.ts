/**
 * Faults of one line behind switches: all stand in one copy of the sources, and the environment
 * variable `DRUMLIN_FAULT` turns one on.
 *
 * Idea      A fault is a piece of text around a node that stays: `(on(7) ? (a <= b) : (a < b))`. So
 *           the copy is built once for all faults, and a fault reaches threads and child processes,
 *           which inherit the environment.
 * Ensures   With none turned on, the copy does what the sources do; its types are not checked. If
 *           `DRUMLIN_FAULT_HITS` is set, each fault that is reached is listed there with the test
 *           file that reached it.
 */
import ts from 'typescript';

export const KINDS = 'condition boundary call await sync constant arguments field'.split(' ');

export interface Fault {
  readonly file: string;
  readonly line: number;
  /** One of `KINDS`, or `given`. */
  readonly kind: string;
  /** The text of the node, and what stands there when the fault is turned on. */
  readonly from: string;
  readonly to: string;
  readonly start: number;
  readonly end: number;
  readonly isExpression: boolean;
  /** Runs once, when its module is loaded: any function of the file may show it. */
  readonly atLoad: boolean;
  /** What the author of a given fault calls it. */
  readonly what?: string;
}

const { SyntaxKind: Is } = ts;
/** Calls that make a file durable. */
const SYNC = /(?:^|\.)(?:f?(?:data)?sync|makeDurable)\w*$/i;
const SWAPPED: Partial<Record<ts.SyntaxKind, readonly [into: string, kind: string]>> = {
  [Is.LessThanToken]: ['<=', 'boundary'],
  [Is.LessThanEqualsToken]: ['<', 'boundary'],
  [Is.GreaterThanToken]: ['>=', 'boundary'],
  [Is.GreaterThanEqualsToken]: ['>', 'boundary'],
  [Is.EqualsEqualsEqualsToken]: ['!==', 'condition'],
  [Is.ExclamationEqualsEqualsToken]: ['===', 'condition'],
  [Is.AmpersandAmpersandToken]: ['||', 'condition'],
  [Is.BarBarToken]: ['&&', 'condition'],
};

const parse = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Every fault that could be planted in a file. */
export function faultsIn(file: string, text: string): Fault[] {
  const source = parse(file, text);
  const fields = fieldsOf(source);
  const found: Fault[] = [];
  walk(source, (node) => {
    const statement = ts.isExpressionStatement(node) ? removals(node) : [];
    const values = ts.isExpression(node) && mayWrap(node) ? changes(node, fields) : [];
    for (const [kind, to] of [...statement, ...values])
      if (to !== node.getText()) found.push(faultAt(source, node, kind, to));
  });
  return found;
}

function faultAt(source: ts.SourceFile, node: ts.Node, kind: string, to: string): Fault {
  const start = node.getStart();
  const line = source.getLineAndCharacterOfPosition(start).line + 1;
  const runsLater = (each: ts.Node) =>
    ts.isFunctionLike(each) ||
    (ts.isPropertyDeclaration(each) &&
      !each.modifiers?.some(({ kind }) => kind === Is.StaticKeyword));
  return {
    ...{ file: source.fileName, line, kind, from: node.getText(), to, start, end: node.end },
    isExpression: ts.isExpression(node),
    atLoad: ts.findAncestor(node, runsLater) === undefined,
  };
}

type Change = readonly [kind: string, to: string];

function removals({ expression }: ts.ExpressionStatement): Change[] {
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
  if (!ts.isCallExpression(call) || call.expression.kind === Is.SuperKeyword) return [];
  const removed: Change = [SYNC.test(call.expression.getText()) ? 'sync' : 'call', ''];
  return call === expression ? [removed] : [removed, ['await', `${call.getText()};`]];
}

function changes(node: ts.Expression, fields: ReadonlyMap<string, ReadonlySet<string>>): Change[] {
  const [text, { parent }] = [node.getText(), node];
  const isTested =
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node);
  const found: Change[] = isTested ? [['condition', `!(${text})`]] : [];
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [node.left.getText(), node.right.getText()];
    const [into, kind = ''] = SWAPPED[node.operatorToken.kind] ?? [];
    if (into) found.push([kind, `(${left}) ${into} (${right})`]);
    else if (/^[+-]$/.test(node.operatorToken.getText()) && right === '1')
      found.push(['boundary', left]);
  } else if (ts.isNumericLiteral(node)) {
    const value = Number(node.text);
    found.push(['constant', String(value < 10 ? value + 1 : value * 2)]);
  } else if (/^(?:true|false)$/.test(text)) {
    found.push(['constant', text === 'true' ? 'false' : 'true']);
  } else if (ts.isCallExpression(node) && node.arguments.slice(0, 2).filter(isName).length === 2) {
    const [first, second, ...rest] = node.arguments.map((each) => each.getText());
    const [called, swapped] = [node.expression.getText(), [second, first, ...rest].join(', ')];
    if (!/^Math\./.test(called)) found.push(['arguments', `${called}(${swapped})`]);
  } else if (ts.isPropertyAccessExpression(node)) {
    const owner = node.expression.getText();
    const others = [...(fields.get(owner) ?? [])].filter((name) => name !== node.name.text);
    if (others.length > 0) found.push(['field', `${owner}.${others[node.pos % others.length]}`]);
  }
  return found;
}

const isName = (node: ts.Node): boolean =>
  ts.isIdentifier(node) || ts.isPropertyAccessExpression(node);

/** Whether the expression may stand in parentheses: it is only read, and no part of a chain. */
function mayWrap(node: ts.Expression): boolean {
  const { parent } = node;
  if (node.flags & ts.NodeFlags.OptionalChain || ts.isMetaProperty(node)) return false;
  if (ts.isExpressionWithTypeArguments(parent) || ts.isTaggedTemplateExpression(parent))
    return false;
  if (ts.isCallOrNewExpression(parent) && parent.expression === node) return false;
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent))
    return parent.operator !== Is.PlusPlusToken && parent.operator !== Is.MinusMinusToken;
  if (ts.isBinaryExpression(parent) && parent.left === node)
    return (
      parent.operatorToken.kind < Is.FirstAssignment ||
      parent.operatorToken.kind > Is.LastAssignment
    );
  if (ts.isForOfStatement(parent) || ts.isForInStatement(parent)) return parent.expression === node;
  if (ts.isDeleteExpression(parent)) return false;
  // `[a.b, c.d] = …` has the form of a list that is read.
  if (ts.isParenthesizedExpression(parent) || ts.isArrayLiteralExpression(parent))
    return mayWrap(parent);
  const names = ['name', 'propertyName'].map((key) => (parent as never)[key]);
  return !names.includes(node as never);
}

/** The fields that a file reads of each name: `a.b`, not `a.b()`. */
function fieldsOf(source: ts.SourceFile): Map<string, Set<string>> {
  const fields = new Map<string, Set<string>>();
  walk(source, (node) => {
    if (!ts.isPropertyAccessExpression(node) || !isName(node.expression)) return;
    const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node;
    const owner = node.expression.getText();
    if (!isCalled && !ts.isPrivateIdentifier(node.name))
      fields.set(owner, (fields.get(owner) ?? new Set()).add(node.name.text));
  });
  return fields;
}

/**
 * The fault that puts `to` where `from` stands at `at`: a switch around the least node that can.
 */
export function givenFault(
  file: string,
  text: string,
  at: number,
  from: string,
  to: string,
): Fault {
  const source = parse(file, text);
  const changed = text.slice(0, at) + to + text.slice(at + from.length);
  const more = to.length - from.length;
  let [a, b] = [at, at + from.length];
  while (a < b && text[a] === changed[a]) a++;
  while (b > a && text[b - 1] === changed[b - 1 + more]) b--;
  let best: Fault | undefined;
  walk(source, (node) => {
    const isBody = ts.isBlock(node) && ts.isFunctionLike(node.parent);
    const [start, end] = [node.getStart() + Number(isBody), node.end - Number(isBody)];
    if (start > a || end < b || (ts.isBlock(node) && !isBody)) return;
    const isPlain = ts.isStatement(node) && !ts.isDeclarationStatement(node);
    const fits = ts.isExpression(node) ? mayWrap(node) : isPlain && !ts.isVariableStatement(node);
    const into = changed.slice(start, end + more);
    const whole = ts.isExpression(node) ? `(${into});` : `for (;;) {${into}}`;
    if (!fits || !isValid(`async function* f() { ${whole} }`)) return;
    best = { ...faultAt(source, node, 'given', into), start, end, from: text.slice(start, end) };
  });
  if (best) return best;
  throw new Error(`${file}: no switch fits around ${JSON.stringify(from)}.`);
}

const isValid = (text: string): boolean =>
  ts.transpileModule(text, { reportDiagnostics: true }).diagnostics?.length === 0;

/**
 * Defined by each file before its functions run. Where only a function's text goes, it is not
 * there.
 */
const SWITCH = `
globalThis.__fault ??= (() => {
  const { DRUMLIN_FAULT: on, DRUMLIN_FAULT_HITS: to, DRUMLIN_TEST_FILE: test } = process.env;
  if (!to) return (id) => id === Number(on);
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  const seen = new Set();
  return (id) => {
    const key = [id, globalThis.__testFile ?? test].join('\\t');
    if (!seen.has(key)) appendFileSync(to, key + '\\n');
    seen.add(key);
    return false;
  };
})();`.replaceAll('\n', ' ');

/** The text of a file with its faults, each under its number from 1. */
export function planted(text: string, faults: ReadonlyMap<number, Fault>): string {
  // At one place, ends come before beginnings, those of inner nodes first; then outer beginnings.
  const pieces: { at: number; order: number; piece: string }[] = [];
  for (const [id, { start, end, to, isExpression, file, atLoad }] of faults) {
    const [on, size] = [`globalThis.__fault?.(${id})`, (end - start) * 1000 - id];
    const [before, after] = isExpression
      ? [`(${on}?(${to}):(`, '))']
      : [`{if(${on}){${to}}else{`, '}}'];
    pieces.push({ at: start, order: 1e9 - size, piece: before });
    pieces.push({ at: end, order: size - 1e9, piece: after });
    if (!atLoad) continue;
    walk(parse(file, text), (node) => {
      if (ts.isBlock(node) && ts.isFunctionLike(node.parent))
        pieces.push({ at: node.getStart() + 1, order: 1e12, piece: `${on};` });
    });
  }
  pieces.sort((x, y) => x.at - y.at || x.order - y.order);
  const cuts = [0, ...pieces.map(({ at }) => at), text.length];
  const parts = cuts.slice(1).map((at, i) => text.slice(cuts[i], at) + (pieces[i]?.piece ?? ''));
  return `// @ts-nocheck\n${SWITCH} ${parts.join('')}`;
}
