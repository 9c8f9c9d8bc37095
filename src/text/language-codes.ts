/** The codes of the languages that a detector gives: ISO 639-1 and ISO 639-3. */
const CODES =
  'am:amh ar:ara az:aze be:bel bg:bul bn:ben ca:cat cs:ces da:dan de:deu el:ell en:eng es:spa ' +
  'et:est eu:eus fa:fas fi:fin fr:fra gu:guj he:heb hi:hin hr:hrv hu:hun hy:hye id:ind is:isl it:ita ' +
  'ja:jpn ka:kat kn:kan ko:kor ku:kur lo:lao lt:lit lv:lav ml:mal mr:mar ms:msa nl:nld no:nor ' +
  'or:ori pa:pan pl:pol pt:por ro:ron ru:rus sk:slk sl:slv sq:sqi sr:srp sv:swe ta:tam te:tel ' +
  'th:tha tl:tgl tr:tur uk:ukr ur:urd vi:vie yo:yor zh:zho';

const ISO3 = new Map(CODES.split(' ').map((pair) => pair.split(':') as [string, string]));

/** The ISO 639-3 code of an ISO 639-1 code that `eld` gives; '' for another. */
export function iso3Of(code: string): string {
  return ISO3.get(code) ?? '';
}
