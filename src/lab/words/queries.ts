/**
 * What people search for: a weighted list of topic words and words of trade.
 *
 * Spammers write for these words. A word weighs as much as its topic is popular and its language
 * spoken; the first words of a topic weigh most.
 */
import { LANGUAGES, type Language, TOPICS, topicWords } from './vocabulary.ts';

const words = (text: string): string[] => text.split(' ');

/** Words of trade by language, the most searched first. */
const TRADE: Readonly<Record<string, readonly string[]>> = {
  en: words(
    'free online cheap buy best discount sale deal download bonus shop store coupon shipping rating compare cheapest warranty delivery voucher',
  ),
  de: words(
    'kaufen gratis online billig günstig rabatt bestellen versand vergleich gutschein kostenlos laden',
  ),
  fr: words(
    'gratuit acheter promotion remise meilleur boutique livraison commande comparer soldes réduction',
  ),
  es: words('gratis comprar barato descuento mejor tienda envío pedido comparar rebaja cupón'),
  it: words('gratis comprare sconto migliore negozio spedizione ordine confronto saldi economico'),
  ru: words('купить бесплатно скачать дешево скидка лучший магазин доставка заказ цена'),
};

/** How often a topic is searched for, compared with the others. */
const POPULARITY: Readonly<Record<string, number>> = {
  gambling: 12,
  finance: 10,
  medicine: 9,
  travel: 9,
  fashion: 7,
  cars: 7,
  software: 5,
  cinema: 4,
  music: 4,
  football: 4,
};
const TRADE_POPULARITY = 14;

const popularityOf = (topic: number): number => POPULARITY[TOPICS[topic].name] ?? 1;

export const tradeWords = ({ code }: Language): readonly string[] => TRADE[code] ?? TRADE.en;

interface Query {
  readonly word: string;
  readonly weight: number;
}

/** All searched words, the heaviest first; of one language if given. */
export function searchedWords(only?: Language): Query[] {
  const weights = new Map<string, number>();
  for (const language of only ? [only] : LANGUAGES) {
    const add = (list: readonly string[], popularity: number): void =>
      list.forEach((word, rank) => {
        const weight = Math.round((1000 * language.share * popularity) / (rank + 3));
        weights.set(word, (weights.get(word) ?? 0) + weight);
      });
    add(tradeWords(language), TRADE_POPULARITY);
    for (let topic = 0; topic < TOPICS.length; topic++)
      add(topicWords(language, topic), popularityOf(topic));
  }
  return [...weights]
    .map(([word, weight]) => ({ word, weight }))
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1));
}

const TOTAL = TOPICS.reduce((sum, _, topic) => sum + popularityOf(topic), 0);

/** A topic drawn as often as people search for it; `u` is in [0, 1). */
export function popularTopic(u: number): number {
  let left = u * TOTAL;
  for (let topic = 0; topic < TOPICS.length; topic++) {
    left -= popularityOf(topic);
    if (left < 0) return topic;
  }
  return TOPICS.length - 1;
}
