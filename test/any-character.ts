import fc from 'fast-check';

/**
 * Any character of Unicode, like fast-check's unit 'binary', which takes more than a second to
 * build.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));
