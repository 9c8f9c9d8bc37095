/** What other engines are told about the fields of a document. */

/** The body that creates an index in OpenSearch: PUT /NAME. */
export const OPENSEARCH = {
  settings: { index: { number_of_replicas: 0 } },
  mappings: {
    dynamic: 'strict',
    properties: {
      id: { type: 'keyword' },
      url: { type: 'keyword', ignore_above: 8000 },
      host: { type: 'keyword' },
      domain: { type: 'keyword' },
      title: { type: 'text' },
      text: { type: 'text' },
      language: { type: 'keyword' },
      first: { type: 'date' },
      last: { type: 'date' },
      captures: { type: 'integer' },
      valid: { type: 'date_range' },
      place: { type: 'keyword' },
    },
  },
};

const raw = (name: string) => ({ name, type: 'text', tokenizer: 'raw', fast: true });
const words = (name: string) => ({ name, type: 'text', record: 'position', fieldnorms: true });
const time = (name: string) => ({
  ...{ name, type: 'datetime', input_formats: ['rfc3339'], output_format: 'rfc3339' },
  ...{ fast: true, fast_precision: 'milliseconds' },
});

/**
 * The configuration of an index in Quickwit, which reads JSON and YAML. It has no type for
 * stretches of time: `valid` is kept, and a search at a moment uses `first` and `last`.
 */
export const QUICKWIT = {
  version: '0.8',
  index_id: 'drumlin',
  doc_mapping: {
    mode: 'strict',
    field_mappings: [
      ...['id', 'url', 'host', 'domain', 'language', 'place'].map(raw),
      ...['title', 'text'].map(words),
      ...['first', 'last'].map(time),
      { name: 'captures', type: 'u64', fast: true },
      { name: 'valid', type: 'json', indexed: false },
    ],
    timestamp_field: 'first',
  },
  search_settings: { default_search_fields: ['title', 'text'] },
};
