/** The API of the console, as the page uses it. */
import { useEffect, useState } from 'preact/hooks';

// biome-ignore lint/suspicious/noExplicitAny: the server has made the answer; views only show it.
export type Answer = any;
export type Row = Record<string, Answer>;

/** Why a request was refused: the sentence of the server, and a word for programs. */
class Refusal extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

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
  if (value?.error) {
    const { code, fact, remedy } = value.error;
    throw new Refusal(code === STILL_READING ? fact : `${fact} ${remedy}`, code);
  }
  return value;
}

export function queryOf(fields: Record<string, unknown>): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0
    ? ''
    : `?${new URLSearchParams(filled.map(([name, value]) => [name, String(value)]))}`;
}

const STILL_READING = 'STILL_READING';
/** When the server is asked again that is still reading, gave no answer, or ended the events. */
const ASK_AGAIN = 1000;

interface Loaded {
  readonly value: Answer;
  readonly error: string | undefined;
  /** How far the server is with something large that it has to read first; it is asked again. */
  readonly reading: string | undefined;
  readonly isLoading: boolean;
  again(): void;
}

/**
 * Loads a path, and again when it changes; undefined loads nothing. The old value stays meanwhile,
 * and where no answer came: that is asked for again. `every` counts from the answer, so a server
 * that is slower than that is waited for.
 */
export function useLoad(path: string | undefined, every?: number): Loaded {
  const [state, setState] = useState<Omit<Loaded, 'again'>>({
    ...{ value: undefined, error: undefined, reading: undefined },
    isLoading: path !== undefined,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askIn = (millis: number | undefined) => {
      if (millis !== undefined) timer = setTimeout(() => setTurn(turn + 1), millis);
    };
    const show = (news: Partial<Loaded>) =>
      setState({
        value: undefined,
        error: undefined,
        reading: undefined,
        isLoading: false,
        ...news,
      });
    setState((before) => ({ ...before, isLoading: true }));
    api(path).then(
      (value) => {
        if (isOver) return;
        show({ value });
        askIn(every);
      },
      (error: Error) => {
        if (isOver) return;
        const isReading = error instanceof Refusal && error.code === STILL_READING;
        if (isReading) show({ reading: error.message });
        else if (error instanceof Refusal) show({ error: error.message });
        else setState((before) => ({ ...before, error: error.message, isLoading: false }));
        askIn(isReading || !(error instanceof Refusal) ? ASK_AGAIN : every);
      },
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [path, turn]);
  return { ...state, again: () => setTurn(turn + 1) };
}

export interface Live {
  readonly status: Answer;
  /** New lines of the log, and where in the file they begin. */
  readonly log: readonly { readonly from: number; readonly line: Row }[];
  readonly isConnected: boolean;
  /** Why there is no newer state: the sentence of the server. */
  readonly fault: string | undefined;
}

const NOT_YET: Live = { status: undefined, log: [], isConnected: false, fault: undefined };

const MOST_LINES = 500;

/** The state of a crawl, as the server sends it. */
export function useLive(crawl: string | undefined): Live {
  const [live, setLive] = useState(NOT_YET);
  useEffect(() => {
    setLive(NOT_YET);
    if (crawl === undefined) return;
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(`/api/v1/crawls/${encodeURIComponent(crawl)}/events`);
      listen(source, setLive);
      source.onerror = () => {
        setLive((before) => ({ ...before, isConnected: false }));
        // The browser connects again by itself, but not after an answer that is no stream.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, ASK_AGAIN);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [crawl]);
  return live;
}

function listen(source: EventSource, setLive: (change: (before: Live) => Live) => void): void {
  source.addEventListener('status', (event) => {
    const status = JSON.parse((event as MessageEvent).data);
    setLive((before) => ({ ...before, status, isConnected: true, fault: undefined }));
  });
  source.addEventListener('fault', (event) => {
    const { fact } = JSON.parse((event as MessageEvent).data);
    setLive((before) => ({ ...before, isConnected: true, fault: fact }));
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
}
