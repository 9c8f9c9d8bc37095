/** Is a response HTML? By its header; one without is taken for HTML when it begins like it. */
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const HTML_BEGINNING = /^\s*<(?:!doctype\s+html|html|head|body|!--)/i;
/** As much of the body as may tell. */
const BEGINNING = 512;

export function isHtml(contentType: string | undefined, payload: Uint8Array): boolean {
  if (contentType !== undefined) return HTML_TYPE.test(contentType);
  return HTML_BEGINNING.test(Buffer.from(payload.subarray(0, BEGINNING)).toString('latin1'));
}
