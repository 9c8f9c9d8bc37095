/**
 * Answers in place of a page: redirects, refusals, errors; and the answers of dead pages.
 */
import { type Answer, HTML_TYPE, htmlAnswer, notFound, REASONS, redirect } from './answer.ts';
import { strikes } from './behaviour.ts';
import type { Domain } from './domain.ts';
import { urlOf } from './paths.ts';
import type { Web } from './web.ts';
import { hash, TAG } from './words/random.ts';

const HOPS = 8;
/** What a page that is refused with 429 or 503 asks for. */
export const RETRY_SECONDS = 2;

/** The answer that this page's domain gives instead of it, if any. */
export function pageFault(domain: Domain, page: number): Answer | undefined {
  const behaviour = domain.behaviour('page');
  if (!behaviour || !strikes(domain, page)) return undefined;
  if (behaviour === 'redirect-chain') return redirect(302, hopUrl(domain, page, HOPS - 1));
  if (behaviour === 'redirect-loop')
    return redirect(302, `${domain.origin(domain.hostOf(page))}/loop/1/${page}`);
  if (behaviour.startsWith('redirect-'))
    return redirect(Number(behaviour.slice(9)), urlOf(domain, after(domain, page)));
  if (behaviour === 'soft-404') return softNotFound();
  return refusal(Number(behaviour.slice(7)));
}

/**
 * The addresses of redirect chains: `/hop/<left>/<page>` counts down, `/loop/<side>/<page>`
 * alternates.
 */
export function hopAnswer(domain: Domain, target: string): Answer | undefined {
  const match = /^\/(hop|loop)\/(\d)\/(\d{1,9})$/.exec(target);
  if (!match) return undefined;
  const behaviour = domain.behaviour('page');
  const [, way, digit, number] = match;
  const page = Number(number);
  if (page >= domain.pages || !strikes(domain, page)) return undefined;
  if (way === 'loop' && behaviour === 'redirect-loop')
    return redirect(
      302,
      `${domain.origin(domain.hostOf(page))}/loop/${digit === '1' ? 2 : 1}/${page}`,
    );
  if (way !== 'hop' || behaviour !== 'redirect-chain') return undefined;
  const left = Number(digit);
  return redirect(
    302,
    left > 1 ? hopUrl(domain, page, left - 1) : urlOf(domain, after(domain, page)),
  );
}

function hopUrl(domain: Domain, page: number, left: number): string {
  return `${domain.origin(domain.hostOf(page))}/hop/${left}/${page}`;
}

/** The page that an affected one leads to: its neighbour, which has no fault. */
function after(domain: Domain, page: number): number {
  return page + 1 < domain.initialPages ? page + 1 : 0;
}

function refusal(status: number): Answer {
  const headers =
    status === 401
      ? 'WWW-Authenticate: Basic realm="members"\r\n'
      : status === 429 || status === 503
        ? `Retry-After: ${RETRY_SECONDS}\r\n`
        : '';
  return htmlAnswer(status, REASONS[status], 'That is all there is to say.', headers);
}

/**
 * Half of the dead pages that answer 200 say only in their text that they are gone (LiveRank, table
 * 1).
 */
export function softNotFound(): Answer {
  return {
    status: 200,
    headers: HTML_TYPE,
    body: '<!DOCTYPE html>\n<html><head><title>Page Not Found</title></head><body><h1>Page Not Found</h1><p>Error 404</p></body></html>\n',
  };
}

const graveDraw = (web: Web, domain: Domain): number =>
  hash(web.world.seed, TAG.grave, domain.index) % 100;

/** Whether dead pages of a domain answer with a soft 404. */
export function gravesAreSoft(web: Web, domain: Domain): boolean {
  const draw = graveDraw(web, domain);
  return draw >= 27 && draw < 37;
}

/**
 * The answer of a dead page. Each domain has its own kind, in about the shares that LiveRank found
 * among the pages of uk-2002 whose hosts still answered: 404 for half, a redirect to the home page
 * for a quarter, a soft 404 for a tenth, refusals for the rest.
 */
export function graveAnswer(web: Web, domain: Domain): Answer {
  const draw = graveDraw(web, domain);
  if (draw < 27) return redirect(301, urlOf(domain, 0));
  if (gravesAreSoft(web, domain)) return softNotFound();
  if (draw < 47) return refusal(403);
  if (draw < 52) return refusal(410);
  return notFound();
}
