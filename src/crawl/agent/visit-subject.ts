/**
 * What filters are asked about a fetch. It grows from the turn to the response to the parsed page.
 */
import { onceAsked } from '../../base/once-asked.ts';
import type { Exchange } from '../../fetch/exchange.ts';
import type {
  DomainStanding,
  PageFacts,
  ResponseFacts,
  Subject,
  VisitFacts,
} from '../../filter/subject.ts';
import type { HostTurn } from '../../frontier/frontier.ts';
import type { Domain } from '../../frontier/host.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { isHtml } from '../../parse/is-html.ts';
import type { ParsedPage } from '../../parse/page.ts';
import { countWords } from '../../text/words.ts';

/** Where the facts about domains come from. */
export interface DomainFacts {
  /** Only in the order of budgets. */
  readonly standing: DomainStanding | undefined;
  /** Only with verdicts on spam. */
  readonly spam: { spamOf(domain: Domain): number } | undefined;
}

/** The facts of a response that is not HTML, or that a filter refused to parse. */
const UNREAD: PageFacts = {
  links: 0,
  title: () => undefined,
  charset: '',
  noindex: false,
  nofollow: false,
  text: () => '',
  words: () => 0,
};

export class VisitSubject implements Subject {
  readonly url: string;
  readonly depth: number;
  readonly standing: DomainStanding | undefined;
  readonly visit: VisitFacts;
  response: ResponseFacts | undefined;
  page: PageFacts | undefined;

  constructor({ host, address }: HostTurn, discovery: Discovery, { standing, spam }: DomainFacts) {
    const { url, depth, redirects, attempts = 0 } = discovery;
    this.url = url;
    this.depth = depth;
    this.standing = standing;
    this.visit = {
      redirects,
      attempts,
      hostPages: host.pages,
      domainPages: host.domain.pages,
      ip: address.ip,
      get domainSpam() {
        return spam ? spam.spamOf(host.domain) : Number.NaN;
      },
    };
  }

  answered(exchange: Exchange, isDuplicate: () => boolean): void {
    const { status, headers, payload, elapsed, truncated } = exchange;
    this.response = {
      status,
      headers,
      length: payload.length,
      elapsed,
      truncated: truncated !== undefined,
      isHtml: () => isHtml(headers.get('content-type'), payload),
      isDuplicate,
    };
  }

  /**
   * `links` counts the links; the target of a redirect is its only link. `textOf` reads the text of
   * the page, and is called only if a filter needs it.
   */
  read(page: ParsedPage | undefined, links: number, textOf: () => string): void {
    if (!page) {
      this.page = { ...UNREAD, links };
      return;
    }
    const { title, charset, robots } = page;
    const text = onceAsked(textOf);
    this.page = {
      links,
      title,
      charset,
      ...robots,
      text,
      words: onceAsked(() => countWords(text())),
    };
  }
}
