/**
 * The types of the library and those of the crawler are declared apart: the library's have a
 * comment on everything and stay. This file compiles only if they agree.
 */
import { expect, test } from 'vitest';
import type * as graphApi from '../../src/api/graph.ts';
import type * as api from '../../src/api/index.ts';
import type * as linksApi from '../../src/api/links.ts';
import type * as warcApi from '../../src/api/warc.ts';
import type * as cdxj from '../../src/archive/index/cdxj.ts';
import type * as counters from '../../src/crawl/record/counters.ts';
import type * as hooks from '../../src/crawl/store/hooks.ts';
import type * as page from '../../src/crawl/store/page.ts';
import type * as readablePage from '../../src/crawl/store/readable-page.ts';
import type * as store from '../../src/crawl/store/store.ts';
import type * as pageDocument from '../../src/extract/page-document.ts';
import type * as exchange from '../../src/fetch/exchange.ts';
import type * as filterSet from '../../src/filter/filter-set.ts';
import type * as predicates from '../../src/filter/predicates.ts';
import type * as subject from '../../src/filter/subject.ts';
import type * as graph from '../../src/graph/graph.ts';
import type * as graphFile from '../../src/graph/graph-file.ts';
import type * as info from '../../src/graph/info.ts';
import type * as openGraph from '../../src/graph/open-graph.ts';
import type * as parsePage from '../../src/parse/page.ts';
import type * as sitemap from '../../src/parse/sitemap.ts';
import type * as rank from '../../src/rank/index.ts';
import type * as language from '../../src/text/language.ts';

/** True if each of the two can stand for the other, and they have the same members. */
type Agree<A, B> = [A] extends [B]
  ? [B] extends [A]
    ? [keyof A] extends [keyof B]
      ? [keyof B] extends [keyof A]
        ? true
        : false
      : false
    : false
  : false;

const AGREE: readonly true[] = [
  true satisfies Agree<api.Page, readablePage.ReadablePage>,
  true satisfies Agree<api.PageLanguage, language.Language>,
  true satisfies Agree<api.PageElement, pageDocument.PageElement>,
  true satisfies Agree<api.OutgoingRequest, hooks.OutgoingRequest>,
  true satisfies Agree<api.RequestChange, hooks.RequestChange>,
  true satisfies Agree<api.ResponseDecision, hooks.ResponseDecision>,
  true satisfies Agree<api.Link, page.Link>,
  true satisfies Agree<api.CrawlFailure, page.CrawlFailure>,
  true satisfies Agree<api.PageSink, store.PageSink>,
  true satisfies Agree<api.HeaderView, exchange.HeaderView>,
  true satisfies Agree<api.Summary, counters.Summary>,
  true satisfies Agree<Omit<api.Filters, 'predicates'>, filterSet.FilterTexts>,
  true satisfies Agree<api.Subject, subject.Subject>,
  true satisfies Agree<api.Stage, subject.Stage>,
  true satisfies Agree<api.UserPredicates, predicates.UserPredicates>,
  true satisfies Agree<graphApi.Graph, graph.Graph>,
  true satisfies Agree<graphApi.Adjacency, graph.Adjacency>,
  true satisfies Agree<graphApi.ScanOptions, graph.ScanOptions>,
  true satisfies Agree<graphApi.DiskGraph, openGraph.DiskGraph>,
  true satisfies Agree<graphApi.GraphFacts, graphFile.GraphFacts>,
  true satisfies Agree<graphApi.GraphInfo, info.GraphInfo>,
  true satisfies Agree<graphApi.Ranking, rank.Ranking>,
  true satisfies Agree<linksApi.PageLink, parsePage.Link>,
  true satisfies Agree<linksApi.Sitemap, sitemap.Sitemap>,
  true satisfies Agree<warcApi.Capture, cdxj.Capture>,
];

test('the types of the library agree with those of the crawler', () => {
  expect(AGREE.every(Boolean)).toBe(true);
});
