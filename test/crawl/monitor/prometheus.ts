/** A strict parser of Prometheus' text format 0.0.4: it rejects anything unknown. */

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.*)$`, 's');
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? ([-+0-9.eE]+|[+-]Inf|NaN)$`, 's');
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/;

export function parsePrometheus(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  const families = new Map<string, Family>();
  const helps = new Map<string, string>();
  let open = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = HELP.exec(line);
    const type = TYPE.exec(line);
    const sample = SAMPLE.exec(line);
    if (help) {
      if (helps.has(help[1])) throw new Error(`Help twice: ${line}`);
      helps.set(help[1], help[2]);
      open = '';
    } else if (type) {
      if (families.has(type[1])) throw new Error(`Type twice: ${line}`);
      const text = helps.get(type[1]);
      if (text === undefined) throw new Error(`No help: ${line}`);
      if (type[2] === 'counter' && !type[1].endsWith('_total'))
        throw new Error(`No _total: ${line}`);
      families.set(type[1], { type: type[2], help: text, samples: [] });
      open = type[1];
    } else if (sample) {
      if (sample[1] !== open) throw new Error(`Not in its group: ${line}`);
      const labels = parseLabels(sample[2] ?? '', line);
      const samples = families.get(open)?.samples ?? [];
      const same = samples.some((other) => JSON.stringify(other.labels) === JSON.stringify(labels));
      if (same) throw new Error(`Twice: ${line}`);
      const value = Number(sample[3]);
      if (Number.isNaN(value)) throw new Error(`No number: ${line}`);
      samples.push({ labels, value });
    } else throw new Error(`Not understood: ${line}`);
  }
  return families;
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const label = LABEL.exec(rest);
    if (!label || Object.hasOwn(labels, label[1])) throw new Error(`Labels: ${line}`);
    labels[label[1]] = label[2].replace(/\\([\\"n])/g, (_, c) => (c === 'n' ? '\n' : c));
    rest = rest.slice(label[0].length);
    if (label[3] === ',' && rest === '') throw new Error(`Labels: ${line}`);
  }
  return labels;
}
