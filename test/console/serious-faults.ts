/** What axe-core finds wrong with a page, of the two worst kinds. */
import type { Page } from 'playwright-core';

export async function seriousFaults(page: Page, axe: string): Promise<string[]> {
  // The policy of the page forbids foreign scripts; the driver's own world is exempt.
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document, { iframes: false })')) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`);
}
