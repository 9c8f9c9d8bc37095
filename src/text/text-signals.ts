/** The values of all signals of a text. */
import { SIGNALS } from './signals.ts';
import { countWords } from './words.ts';

export function signalsOf(text: string): Float64Array {
  const values = new Float64Array(SIGNALS.length);
  values[0] = countWords(text);
  return values;
}
