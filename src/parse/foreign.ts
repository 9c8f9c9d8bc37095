/**
 * Inside `<svg>` and `<math>` the rules of HTML do not apply: no element hides its content, `/>`
 * closes, CDATA sections exist. This tracks the open elements of such content, so that the scanner
 * knows which rules apply.
 *
 * Idea      The stack of open elements of the standard's tree construction, reduced to foreign
 *           ones. HTML inside an integration point (`<foreignObject>`, `<desc>`, …) is read as HTML
 *           and not tracked.
 * Cost      Bounded: beyond `MAX_DEPTH` open elements further ones are not tracked.
 */
const MAX_DEPTH = 64;

type Space = 'svg' | 'math';

interface Open {
  readonly name: string;
  readonly space: Space;
  /** Whether its content is HTML. */
  readonly integrates: boolean;
}

const words = (text: string) => new Set(text.split(' '));
const SVG_INTEGRATION = words('foreignobject desc title');
const MATH_INTEGRATION = words('mi mo mn ms mtext');

/** Start tags that end foreign content, because they cannot occur in it. */
const BREAKOUT_CONTAINERS =
  'b big blockquote body center code dd div dl dt em h1 h2 h3 h4 h5 h6 head i li listing menu nobr ol p pre ruby s small ' +
  'span strong strike sub sup table tt u ul var';
const BREAKOUT = words(`${BREAKOUT_CONTAINERS} br embed hr img meta`);

/**
 * End tags that match nothing inside and so close an HTML element around the foreign content, and
 * the content with it.
 */
const AROUND = words(
  `${BREAKOUT_CONTAINERS} br a article aside button caption figcaption figure footer form header html label main nav ` +
    'section summary td th tr tbody thead tfoot',
);

export class ForeignContent {
  readonly #open: Open[] = [];

  get active(): boolean {
    return this.#open.length > 0;
  }

  /** Whether the current content is HTML: outside, or in an integration point. */
  get readsHtml(): boolean {
    return this.#open.at(-1)?.integrates ?? true;
  }

  /** Whether `<svg>` is the nearest namespace: its `<a>` is a link, that of MathML is not. */
  get inSvg(): boolean {
    return this.#open.at(-1)?.space === 'svg';
  }

  /** Handles `<svg>` or `<math>` in HTML. */
  enter(space: Space, selfClosing: boolean): void {
    if (!selfClosing) this.#push({ name: space, space, integrates: false });
  }

  /**
   * Handles a start tag while `active`. True if it is an element of the foreign content; false if
   * HTML rules apply, inside an integration point or because it ended the foreign content.
   * `attribute` looks up a value of the tag.
   */
  start(
    name: string,
    selfClosing: boolean,
    attribute: (name: string) => string | undefined,
  ): boolean {
    const top = this.#open[this.#open.length - 1];
    if (top.integrates && name !== 'mglyph' && name !== 'malignmark') return false;
    if (
      BREAKOUT.has(name) ||
      (name === 'font' && ['color', 'face', 'size'].some((a) => attribute(a) !== undefined))
    ) {
      this.leave();
      return false;
    }
    const space = name === 'svg' && top.name === 'annotation-xml' ? 'svg' : top.space;
    if (!selfClosing) this.#push({ name, space, integrates: integrates(name, space, attribute) });
    return true;
  }

  /** Handles an end tag while `active`. */
  end(name: string): void {
    const open = this.#open;
    const top = open[open.length - 1];
    for (let i = open.length - 1; i >= 0; i--) {
      if (i < open.length - 1 && open[i].integrates) break;
      if (open[i].name !== name) continue;
      // Inside an integration point an inner HTML element may have this name; only its own frame is
      // certain.
      if (!top.integrates || i === open.length - 1) open.length = i;
      return;
    }
    if (top.integrates && (name === 'svg' || name === 'math')) {
      const outer = open.findLastIndex((element) => element.name === name);
      if (outer >= 0) open.length = outer;
    } else if (!top.integrates && AROUND.has(name)) this.leave();
  }

  /** Closes all elements up to the nearest one with HTML content. */
  leave(): void {
    while (this.#open.length > 0 && !this.#open[this.#open.length - 1].integrates) this.#open.pop();
  }

  #push(element: Open): void {
    if (this.#open.length < MAX_DEPTH) this.#open.push(element);
  }
}

function integrates(
  name: string,
  space: Space,
  attribute: (name: string) => string | undefined,
): boolean {
  if (space === 'svg') return SVG_INTEGRATION.has(name);
  if (name !== 'annotation-xml') return MATH_INTEGRATION.has(name);
  const encoding = attribute('encoding')?.toLowerCase();
  return encoding === 'text/html' || encoding === 'application/xhtml+xml';
}
