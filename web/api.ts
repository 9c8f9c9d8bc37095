/** The API of the console, as the page uses it. */
import { useEffect, useState } from 'preact/hooks';

// biome-ignore lint/suspicious/noExplicitAny: the server has made the answer; views only show it.
export type Answer = any;
export type Row = Record<string, Answer>;

/** A request that was refused: the sentence of the server. */
export async function api(path: string, body?: unknown, method = 'POST'): Promise<Answer> {
  const response = await fetch(`/api/v1${path}`, {
    ...(body !== undefined && {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  let value: Answer;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(text.trim() || `status ${response.status}`);
  }
  if (value?.error) throw new Error(`${value.error.fact} ${value.error.remedy}`);
  return value;
}

export function queryOf(fields: Record<string, unknown>): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0
    ? ''
    : `?${new URLSearchParams(filled.map(([name, value]) => [name, String(value)]))}`;
}

interface Loaded {
  readonly value: Answer;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  again(): void;
}

/** Loads a path, and again when it changes; undefined loads nothing. The old value stays meanwhile. */
export function useLoad(path: string | undefined, every?: number): Loaded {
  const [state, setState] = useState<{ value?: Answer; error?: string; isLoading: boolean }>({
    isLoading: path !== undefined,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    let isOver = false;
    setState((before) => ({ ...before, isLoading: true }));
    api(path).then(
      (value) => isOver || setState({ value, isLoading: false }),
      (error: Error) => isOver || setState({ error: error.message, isLoading: false }),
    );
    const timer = every === undefined ? undefined : setTimeout(() => setTurn(turn + 1), every);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [path, turn]);
  return {
    value: state.value,
    error: state.error,
    isLoading: state.isLoading,
    again: () => setTurn(turn + 1),
  };
}

export interface Live {
  readonly status: Answer;
  /** New lines of the log, and where in the file they begin. */
  readonly log: readonly { readonly from: number; readonly line: Row }[];
  readonly isConnected: boolean;
}

const MOST_LINES = 500;

/** The state of a crawl, as the server sends it. */
export function useLive(crawl: string | undefined): Live {
  const [live, setLive] = useState<Live>({ status: undefined, log: [], isConnected: false });
  useEffect(() => {
    setLive({ status: undefined, log: [], isConnected: false });
    if (crawl === undefined) return;
    const source = new EventSource(`/api/v1/crawls/${encodeURIComponent(crawl)}/events`);
    source.addEventListener('status', (event) => {
      const status = JSON.parse((event as MessageEvent).data);
      setLive((before) => ({ ...before, status, isConnected: true }));
    });
    source.addEventListener('log', (event) => {
      const { from, lines } = JSON.parse((event as MessageEvent).data) as {
        from: number;
        lines: Row[];
      };
      const news = lines.reverse().map((line) => ({ from, line }));
      setLive((before) => ({
        ...before,
        log: [...news, ...before.log].slice(0, MOST_LINES),
      }));
    });
    source.onerror = () => setLive((before) => ({ ...before, isConnected: false }));
    return () => source.close();
  }, [crawl]);
  return live;
}
