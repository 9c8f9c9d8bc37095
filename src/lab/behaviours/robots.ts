/**
 * robots.txt of every sort. The paths that rules speak of exist: `/private/` is linked from the pages of such domains.
 */
import { type Answer, HTML_TYPE, htmlAnswer, redirect, TEXT_TYPE } from '../answer.ts';
import type { Domain } from '../domain.ts';

const text = (body: string): Answer => ({ status: 200, headers: TEXT_TYPE, body });

/** The robots.txt of a domain that has drawn a behaviour; undefined: the usual one. */
export function robotsFault(domain: Domain, host: number): Answer | undefined {
  const sitemap = `Sitemap: ${domain.origin(host)}/sitemap.xml\n`;
  switch (domain.behaviour('robots')) {
    case 'robots-wildcards':
      return text(
        `User-agent: *\nDisallow: /private/\nDisallow: /*?title=\nDisallow: /*.pdf$\nAllow: /private/open\n\n${sitemap}`,
      );
    case 'robots-delay':
      return text(`User-agent: *\nCrawl-delay: 2\nDisallow: /private/\n\n${sitemap}`);
    case 'robots-disallow':
      return text('User-agent: *\nDisallow: /\n');
    case 'robots-groups':
      return text('User-agent: drumlin\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n');
    case 'robots-huge':
      return text(hugeRobots());
    case 'robots-forbidden':
      return htmlAnswer(403, 'Forbidden', 'Not even this.');
    case 'robots-error':
      return htmlAnswer(503, 'Service Unavailable', 'Come back later.', 'Retry-After: 2\r\n');
    case 'robots-redirect':
      return redirect(301, `${domain.origin(host)}/rules.txt`);
    case 'robots-invalid':
      return {
        status: 200,
        headers: HTML_TYPE,
        body: '<html>\0\0\nUser-agent\nDisallow /\n: *\nUser-agent: *\nDisallow: /private/\nDisallow: %zz\n\xff\xfe\n',
      };
    case 'robots-slow':
      return { ...text('User-agent: *\nDisallow: /private/\n'), behaviour: 'slow-start' };
    default:
      return undefined;
  }
}

/** What `robots-redirect` leads to. */
export function movedRobots(domain: Domain): Answer | undefined {
  return domain.behaviour('robots') === 'robots-redirect'
    ? text('User-agent: *\nDisallow: /private/\n')
    : undefined;
}

let huge: string | undefined;

/** A client may stop reading after 500 KiB (RFC 9309): the last rule is beyond. */
function hugeRobots(): string {
  if (huge) return huge;
  huge = 'User-agent: *\nDisallow: /private/\n';
  for (let i = 0; huge.length < 1_000_000; i++) huge += `Disallow: /no-such-path-${i}/\n`;
  huge += 'Disallow: /\n';
  return huge;
}
