/** Reads a file of uncompressed records. */
import { type FileWindow, INITIAL_WIDTH } from './file-window.ts';
import {
  endsClean,
  fault,
  type NextStep,
  NO_HEADER_END,
  parseRecord,
  skipLineEnds,
  TOO_SMALL,
} from './warc-parse.ts';

export function plainReading(window: FileWindow): NextStep {
  return async (offset, limit) => {
    for (let width = INITIAL_WIDTH; ; width *= 2) {
      const bytes = await window.at(offset, width);
      const atEnd = bytes.length < width;
      const parsed = parseRecord(bytes);
      if (typeof parsed === 'string') {
        if (parsed !== NO_HEADER_END || width > limit) return fault(offset, 'corrupt', parsed);
      } else if (parsed.missing > limit) {
        return fault(offset, 'too-large', `larger than ${limit} bytes`);
      } else if (parsed.missing === 0) {
        const end = skipLineEnds(bytes, parsed.end);
        if (end < bytes.length || atEnd) {
          if (!endsClean(bytes, parsed.end)) return fault(offset, 'corrupt', TOO_SMALL);
          return {
            records: [{ ...parsed.record, offset, length: end, sharesMember: false }],
            end: offset + end,
          };
        }
      }
      if (atEnd) return fault(offset, 'truncated', 'the last record is cut off');
    }
  };
}
