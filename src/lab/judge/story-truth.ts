/**
 * The stories of a web as a test collection: queries and the pages that answer them, in the formats
 * of TREC.
 *
 * A query has the two common words of the topic that the story is about, never its name, and a day
 * in the month before the step at which its pages appear.
 */
import { urlOf } from '../paths.ts';
import { STORY_NAMES } from '../stories/story-book.ts';
import { secondsOf } from '../time.ts';
import type { Web } from '../web.ts';
import { inventWord, LANGUAGES, TOPICS, topicWords } from '../words/vocabulary.ts';

interface StoryTruth {
  readonly id: string;
  readonly query: string;
  /** A day of the month in which it happened. */
  readonly day: string;
  /** The step at which its pages are new or rewritten. */
  readonly step: number;
  readonly topic: string;
  readonly language: string;
  readonly name: string;
  readonly pages: readonly { readonly url: string; readonly isNew: boolean }[];
}

/** All stories up to the step of the web, by step and topic. */
export function storyTruths(web: Web): StoryTruth[] {
  const { stories } = web.domains.at(0);
  const all = TOPICS.flatMap((_, topic) => stories.of(topic));
  return all
    .sort((a, b) => a.step - b.step)
    .map(({ topic, step, number, language, name, theme, pages }) => {
      const spoken = LANGUAGES[language];
      const words = topicWords(spoken, topic);
      const middle = (secondsOf(step - 1) + secondsOf(step)) / 2;
      return {
        id: `${step}-${TOPICS[topic].name}-${number + 1}`,
        query: theme.map((place) => words[place]).join(' '),
        day: new Date(1000 * middle).toISOString().slice(0, 10),
        ...{ step, topic: TOPICS[topic].name, language: spoken.code },
        name: inventWord(spoken, name, STORY_NAMES),
        pages: pages.map(({ site, page, isNew }) => ({
          ...{ url: urlOf(web.domains.at(site), page), isNew },
        })),
      };
    });
}

/** The line of a story in a file of queries: number, words, day. */
export const queryLine = ({ id, query, day }: StoryTruth): string => `${id}\t${query}\t${day}`;

/** The lines of a story in a file of judgements. */
export const judgementLines = ({ id, pages }: StoryTruth): string[] =>
  pages.map(({ url }) => `${id} 0 ${url} 1`);
