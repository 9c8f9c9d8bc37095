/**
 * A machine for the part of PostScript that places text: see postscript.ts.
 *
 * Definitions go into one dictionary, whatever dictionary is current. An operator that the machine
 * does not know does nothing.
 */
import { MARK, type Token, type Tokens } from './postscript-tokens.ts';
import { type TextLines, widthOf } from './text-lines.ts';

const MOST_STEPS = 5_000_000;
const MOST_OPERANDS = 2000;
const DEEPEST = 60;
const MOST_SAVED = 200;
const MOST_ADDRESSES = 5000;

type Matrix = readonly [number, number, number, number, number, number];

/** What `gsave` saves. */
interface State {
  readonly matrix: Matrix;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const START: State = { matrix: [1, 0, 0, 1, 0, 0], x: 0, y: 0, size: 10 };

export class PostScriptMachine {
  readonly addresses: string[] = [];
  readonly tokens: Tokens;
  readonly lines: TextLines;
  pages = 0;
  state = START;
  readonly saved: State[] = [];
  readonly stack: Token[] = [];
  readonly definitions = new Map<string, Token>();
  #steps = 0;
  #depth = 0;

  constructor(tokens: Tokens, lines: TextLines) {
    this.tokens = tokens;
    this.lines = lines;
  }

  run(): void {
    while (this.#isWithinLimits()) {
      const token = this.tokens.next();
      if (token === undefined) return;
      this.#take(token);
    }
  }

  #isWithinLimits(): boolean {
    return this.#steps < MOST_STEPS && !this.lines.isFull;
  }

  #take(token: Token): void {
    if (typeof token === 'object' && token.is === 'name') this.call(token.name);
    else this.push(token);
  }

  /** Runs a procedure, or anything else that is executable. */
  execute(token: Token | undefined): void {
    if (typeof token !== 'object') return;
    if (token.is === 'name') this.call(token.name);
    if (token.is !== 'procedure' || this.#depth >= DEEPEST) return;
    this.#depth++;
    for (const part of token.body) {
      this.#steps++;
      if (!this.#isWithinLimits()) break;
      this.#take(part);
    }
    this.#depth--;
  }

  call(name: string): void {
    this.#steps++;
    const defined = this.definitions.get(name);
    if (defined === undefined) OPERATORS[name]?.(this);
    else if (typeof defined === 'object' && (defined.is === 'procedure' || defined.is === 'name'))
      this.execute(defined);
    else this.push(defined);
  }

  push(token: Token): void {
    if (this.stack.length >= MOST_OPERANDS) this.stack.splice(0, MOST_OPERANDS / 2);
    this.stack.push(token);
  }

  pop(): Token | undefined {
    return this.stack.pop();
  }

  number(): number {
    const value = this.stack.pop();
    return typeof value === 'number' ? value : 0;
  }

  show(text: string, wider = 0): void {
    const { matrix, x, y, size } = this.state;
    const [a, b, c, d] = matrix;
    const scale = Math.sqrt(Math.abs(a * d - b * c)) || 1;
    const [deviceX, deviceY] = placeOf(matrix, x, y);
    this.lines.show(text, deviceX, deviceY, size * scale);
    this.state = { ...this.state, x: x + widthOf(text) * size + wider };
  }

  change(matrix: Matrix): void {
    const [a, b, c, d, e, f] = this.state.matrix;
    const [g, h, i, j, k, l] = matrix;
    const product: Matrix = [
      g * a + h * c,
      g * b + h * d,
      i * a + j * c,
      i * b + j * d,
      k * a + l * c + e,
      k * b + l * d + f,
    ];
    this.state = { ...this.state, matrix: product };
  }

  save(): void {
    if (this.saved.length < MOST_SAVED) this.saved.push(this.state);
  }

  restore(): void {
    this.state = this.saved.pop() ?? this.state;
  }

  /** The operands above the last mark, which is removed too. */
  toMark(): Token[] {
    const at = this.stack.lastIndexOf(MARK);
    return this.stack.splice(Math.max(0, at)).slice(at < 0 ? 0 : 1);
  }

  repeat(times: number, body: Token | undefined, before: (i: number) => void = () => {}): void {
    for (let i = 0; i < times && this.#isWithinLimits(); i++) {
      this.#steps++;
      before(i);
      this.execute(body);
    }
  }
}

function placeOf([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

type Operator = (machine: PostScriptMachine) => void;

const textOf = (token: Token | undefined): string =>
  typeof token === 'object' && token.is === 'text' ? token.text : '';
const nameOf = (token: Token | undefined): string =>
  typeof token === 'object' && (token.is === 'literal' || token.is === 'name') ? token.name : '';
const nothing: Operator = () => {};
const drop =
  (count: number): Operator =>
  (machine) => {
    for (let i = 0; i < count; i++) machine.pop();
  };
const unary =
  (of: (a: number) => number): Operator =>
  (machine) =>
    machine.push(of(machine.number()) || 0);
const binary =
  (of: (a: number, b: number) => number): Operator =>
  (machine) => {
    const b = machine.number();
    const value = of(machine.number(), b);
    machine.push(Number.isFinite(value) ? value : 0);
  };
const compare =
  (of: (a: unknown, b: unknown) => boolean): Operator =>
  (machine) => {
    const b = machine.pop();
    machine.push(of(plain(machine.pop()), plain(b)));
  };
const logic =
  (
    numbers: (a: number, b: number) => number,
    truths: (a: boolean, b: boolean) => boolean,
  ): Operator =>
  (machine) => {
    const [b, a] = [machine.pop(), machine.pop()];
    machine.push(
      typeof a === 'number' && typeof b === 'number'
        ? numbers(a, b)
        : truths(a === true, b === true),
    );
  };

function plain(token: Token | undefined): unknown {
  if (typeof token !== 'object') return token;
  return token.is === 'text' ? token.text : nameOf(token);
}

const STACK: Record<string, Operator> = {
  pop: drop(1),
  exch: (m) => {
    const [b, a] = [m.pop(), m.pop()];
    if (b !== undefined) m.push(b);
    if (a !== undefined) m.push(a);
  },
  dup: (m) => {
    const top = m.stack.at(-1);
    if (top !== undefined) m.push(top);
  },
  copy: (m) => {
    const count = m.number();
    if (count > 0 && count <= m.stack.length) for (const t of m.stack.slice(-count)) m.push(t);
  },
  index: (m) => {
    const value = m.stack.at(-1 - m.number());
    if (value !== undefined) m.push(value);
  },
  roll: (m) => {
    const by = m.number();
    const count = m.number();
    if (count <= 0 || count > m.stack.length) return;
    const rolled = m.stack.splice(-count);
    const first = (((-by % count) + count) % count) | 0;
    m.stack.push(...rolled.slice(first), ...rolled.slice(0, first));
  },
  clear: (m) => {
    m.stack.length = 0;
  },
  count: (m) => m.push(m.stack.length),
  mark: (m) => m.push(MARK),
  '[': (m) => m.push(MARK),
  ']': (m) => m.push({ is: 'procedure', body: m.toMark() }),
  cleartomark: (m) => void m.toMark(),
  counttomark: (m) => m.push(m.stack.length - 1 - m.stack.lastIndexOf(MARK)),
};

const ARITHMETIC: Record<string, Operator> = {
  add: binary((a, b) => a + b),
  sub: binary((a, b) => a - b),
  mul: binary((a, b) => a * b),
  div: binary((a, b) => a / b),
  idiv: binary((a, b) => Math.trunc(a / b)),
  mod: binary((a, b) => a % b),
  neg: unary((a) => -a),
  abs: unary(Math.abs),
  round: unary(Math.round),
  floor: unary(Math.floor),
  ceiling: unary(Math.ceil),
  truncate: unary(Math.trunc),
  cvi: unary(Math.trunc),
  sqrt: unary(Math.sqrt),
  eq: compare((a, b) => a === b),
  ne: compare((a, b) => a !== b),
  gt: compare((a, b) => Number(a) > Number(b)),
  ge: compare((a, b) => Number(a) >= Number(b)),
  lt: compare((a, b) => Number(a) < Number(b)),
  le: compare((a, b) => Number(a) <= Number(b)),
  and: logic(
    (a, b) => a & b,
    (a, b) => a && b,
  ),
  or: logic(
    (a, b) => a | b,
    (a, b) => a || b,
  ),
  not: (m) => m.push(m.pop() !== true),
  true: (m) => m.push(true),
  false: (m) => m.push(false),
};

const CONTROL: Record<string, Operator> = {
  def: (m) => {
    const value = m.pop();
    const name = nameOf(m.pop());
    if (value !== undefined && name !== '') m.definitions.set(name, value);
  },
  load: (m) => m.push({ is: 'name', name: nameOf(m.pop()) }),
  exec: (m) => m.execute(m.pop()),
  if: (m) => {
    const body = m.pop();
    if (m.pop() === true) m.execute(body);
  },
  ifelse: (m) => {
    const [otherwise, body] = [m.pop(), m.pop()];
    m.execute(m.pop() === true ? body : otherwise);
  },
  repeat: (m) => {
    const body = m.pop();
    m.repeat(m.number(), body);
  },
  for: (m) => {
    const body = m.pop();
    const [limit, step, start] = [m.number(), m.number(), m.number()];
    const times = step === 0 ? 0 : Math.floor((limit - start) / step) + 1;
    m.repeat(times, body, (i) => m.push(start + i * step));
  },
  known: (m) => {
    drop(2)(m);
    m.push(false);
  },
  where: (m) => {
    m.pop();
    m.push(false);
  },
  length: (m) => {
    const value = m.pop();
    const body = typeof value === 'object' && value.is === 'procedure' ? value.body.length : 0;
    m.push(textOf(value).length || body);
  },
  begin: drop(1),
  eexec: (m) => m.tokens.skipTo('cleartomark'),
  store: (m) => CONTROL.def(m),
  bind: nothing,
};

const PLACES: Record<string, Operator> = {
  moveto: (m) => {
    const y = m.number();
    m.state = { ...m.state, x: m.number(), y };
  },
  rmoveto: (m) => {
    const dy = m.number();
    m.state = { ...m.state, x: m.state.x + m.number(), y: m.state.y + dy };
  },
  currentpoint: (m) => {
    m.push(m.state.x);
    m.push(m.state.y);
  },
  translate: (m) => {
    const y = m.number();
    m.change([1, 0, 0, 1, m.number(), y]);
  },
  scale: (m) => {
    const y = m.number();
    m.change([m.number(), 0, 0, y, 0, 0]);
  },
  rotate: (m) => {
    const angle = (m.number() * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    m.change([cos, sin, -sin, cos, 0, 0]);
  },
  gsave: (m) => m.save(),
  grestore: (m) => m.restore(),
  showpage: (m) => {
    m.pages++;
    m.lines.newLine();
  },
};

const FONTS: Record<string, Operator> = {
  findfont: (m) => {
    m.pop();
    m.push({ is: 'font', size: 1 });
  },
  scalefont: (m) => {
    const size = m.number();
    m.pop();
    m.push({ is: 'font', size });
  },
  makefont: (m) => {
    const matrix = m.pop();
    m.pop();
    const parts = typeof matrix === 'object' && matrix.is === 'procedure' ? matrix.body : [];
    m.push({ is: 'font', size: Math.abs(Number(parts[3]) || 1) });
  },
  setfont: (m) => {
    const font = m.pop();
    const size = typeof font === 'object' && font.is === 'font' ? font.size : m.state.size;
    m.state = { ...m.state, size: Math.abs(size) || 1 };
  },
  selectfont: (m) => {
    const size = m.number();
    m.pop();
    m.state = { ...m.state, size: Math.abs(size) || 1 };
  },
  stringwidth: (m) => {
    m.push(widthOf(textOf(m.pop())) * m.state.size);
    m.push(0);
  },
};

const SHOWS: Record<string, Operator> = {
  show: (m) => m.show(textOf(m.pop())),
  ashow: (m) => {
    const text = textOf(m.pop());
    m.number();
    m.show(text, m.number() * text.length);
  },
  widthshow: (m) => {
    const text = textOf(m.pop());
    drop(3)(m);
    m.show(text);
  },
  awidthshow: (m) => {
    const text = textOf(m.pop());
    drop(5)(m);
    m.show(text);
  },
  kshow: (m) => {
    const text = textOf(m.pop());
    m.pop();
    m.show(text);
  },
  xshow: (m) => {
    m.pop();
    m.show(textOf(m.pop()));
  },
  pdfmark: (m) => {
    for (const token of m.toMark()) {
      const text = textOf(token);
      if (/^https?:/.test(text) && m.addresses.length < MOST_ADDRESSES) m.addresses.push(text);
    }
  },
};
SHOWS.yshow = SHOWS.xshow;
SHOWS.xyshow = SHOWS.xshow;

const OPERATORS: Readonly<Record<string, Operator>> = Object.assign(
  Object.create(null) as Record<string, Operator>,
  STACK,
  ARITHMETIC,
  CONTROL,
  PLACES,
  FONTS,
  SHOWS,
);
