/**
 * Function words of many languages: prose has them, menus and lists have few.
 *
 * Only words that are function words in at least one language and no common noun in another one of
 * the list. Languages without spaces need none.
 */
const WORDS = new Set(
  `the of and to in is that for it was on are as with his they at be this from have or by had not
  but what were when we can your which their said will how she would there been has who its more
  der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch es werden aus
  hat dass sie nach wird bei einer um sind noch wie einem über einen zum war haben nur oder aber
  de la le et les en un du une que est pour qui dans par plus pas au sur ne se ce il sont avec son
  aux mais comme ou si leur été cette ont ses même aussi el y los del las por con no su para al lo
  más pero sus ha me sin sobre este ya entre cuando todo esta ser di e che per è non da dei anche
  della nel alla gli delle questo o a os um com uma na dos ao das seu sua ou quando muito nos já
  het een van dat niet zijn op te aan met voor er maar om hem dan ook als bij och att som på är av
  för med den till inte har om ett men var jag og det er til en som på med ikke av han hun var ja
  on ei se että oli mutta niin kuin hän ovat w z na do się nie jest to że jak o po co ale i je se v
  na s z že si by to ve за и в не на я он с что а по это она к но они мы из у то от так о для же
  все вы его как да или бы до и на се от за са че с по не та є що як до це az és hogy nem is egy de
  a meg ez și în cu pe care nu din mai ve bir bu için ile da çok ne και το να του η της με που για
  في من على أن إلى هذا مع ما لا التي के में है की और से का को ने và của là có không cho được`.split(
    /\s+/,
  ),
);

/** In so many words one must be a function word. */
const EVERY = 6;

/** Whether a text has as many function words as prose has. */
export function hasStopWords(text: string): boolean {
  const words = text.toLowerCase().split(' ');
  let found = 0;
  for (const word of words) if (WORDS.has(word)) found++;
  return found * EVERY >= words.length;
}

/** Whether a word in lower case is a function word of some language. */
export const isStopWord = (word: string): boolean => WORDS.has(word);
