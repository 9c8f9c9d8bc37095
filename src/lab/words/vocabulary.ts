/**
 * The words of the synthetic web: six languages with their real function words and common words,
 * twenty-four topics.
 *
 * Idea      A language is recognised by its small words, a topic by its rare ones. The small ones
 *           are real; the topic words are real in English and, in the other languages, invented
 *           with that language's endings. A tail of invented names and terms makes the vocabulary
 *           grow with the text, as it does on the web.
 * Ensures   the words depend on nothing but this file and `inventWord`'s hash.
 */
import { hash } from './random.ts';

export interface Language {
  readonly code: string;
  /** Share of the domains, in percent. */
  readonly share: number;
  /** The encoding that such pages had before UTF-8. */
  readonly legacy: 'windows-1252' | 'windows-1251';
  readonly small: readonly string[];
  readonly common: readonly string[];
  readonly endings: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);

export const LANGUAGES: readonly Language[] = [
  {
    code: 'en',
    share: 56,
    legacy: 'windows-1252',
    small:
      words(`the of and to in a is that for it was on are as with his they at be this from have or by one had not but
      what all were when we there can an your which their said if do will each about how up out them then she many some so
      these would other into has more her two like him see time could no make than first been its who now people my made over
      did down only way find use may water long little very after words called just where most know`),
    common:
      words(`year work place world life hand part child week company system program question government number night
      point home room mother area money story fact month lot right study book eye job word business issue side kind head house
      service friend father power hour game line end member law car city community name president team minute idea body
      information back parent face level office door health person art war history party result change morning reason research
      moment teacher force education page product price review guide offer member order list report update`),
    endings: words('er ing ion ity ment ness al ic ous ware'),
  },
  {
    code: 'de',
    share: 12,
    legacy: 'windows-1252',
    small:
      words(`der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat
      dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch
      man sein wurde sei in prozent hatte kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines
      jahr zwei jahren diese dieser wieder keine seiner worden will zwischen immer was sagte`),
    common:
      words(`zeit mensch weg welt leben hand teil kind woche firma frage haus tag jahr arbeit stadt land wasser straße
      geschichte gesellschaft größe möglichkeit entwicklung wirtschaft schule buch bild spiel angebot preis verein wissenschaft
      gemeinde regierung familie freund morgen abend küche garten brücke schlüssel öffnung übung lösung führung`),
    endings: words('ung heit keit lich isch schaft bar werk stoff kunde'),
  },
  {
    code: 'fr',
    share: 10,
    legacy: 'windows-1252',
    small:
      words(`de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son aux mais
      comme ou si leur été cette ont ses même aussi bien fait être deux nous vous tout on elle entre sans peut après très où
      était avait ces dont encore sous depuis avant moins faire lui autre alors contre chez donc vers`),
    common:
      words(`temps monde vie main part enfant semaine société question maison jour année travail ville pays eau rue histoire
      école livre image jeu prix offre science état développement possibilité marché élève pièce forêt café théâtre musée
      système problème qualité sécurité activité région équipe santé énergie vérité`),
    endings: words('tion ment eur ité age ique oire ance esse erie'),
  },
  {
    code: 'es',
    share: 10,
    legacy: 'windows-1252',
    small:
      words(`de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre
      este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué sólo han yo hay
      vez puede todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada`),
    common:
      words(`tiempo mundo vida mano parte niño semana empresa pregunta casa día año trabajo ciudad país agua calle historia
      escuela libro imagen juego precio oferta ciencia desarrollo mercado montaña canción música educación corazón sociedad
      información región población situación árbol jardín camión salón médico público`),
    endings: words('ción dad miento ista oso aje eza ería able ivo'),
  },
  {
    code: 'it',
    share: 5,
    legacy: 'windows-1252',
    small:
      words(`di e il la che in un per è una sono del con non si da al le dei come più ma anche della ha lo nel alla o se gli
      suo delle cui questo nella stato io essere sul ed tra due ai era dal questa fra tutti dopo molto solo fatto ancora così
      può prima quando loro sua senza ci mi perché`),
    common:
      words(`tempo mondo vita mano parte bambino settimana società domanda casa giorno anno lavoro città paese acqua strada
      storia scuola libro immagine gioco prezzo offerta scienza sviluppo mercato montagna canzone musica università qualità
      libertà attività possibilità comunità verità`),
    endings: words('zione mento tore ità aggio ico oso enza ista eria'),
  },
  {
    code: 'ru',
    share: 7,
    legacy: 'windows-1251',
    small:
      words(`и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой что весь год от так о для
      ты же все тот мочь вы человек такой его сказать только или ещё бы себя один как уже до время если сам когда другой
      вот говорить наш мой знать стать при чтобы дело жизнь кто первый очень два день её`),
    common:
      words(`рука раз работа слово место лицо друг глаз вопрос дом сторона страна мир случай голова ребёнок сила конец вид
      система часть город отношение женщина деньги земля машина вода отец проблема час право нога решение дверь образ история
      власть закон война бог голос тысяча книга возможность результат ночь стол имя область`),
    endings: words('ость ение ник ство ация ский тель ник ово ика'),
  },
];

/** Words of each topic, the most typical first. */
export const TOPICS: readonly { readonly name: string; readonly words: readonly string[] }[] =
  Object.entries({
    astronomy: `telescope galaxy orbit comet planet nebula lunar eclipse spectrum stellar observatory meteor cosmic redshift quasar
    supernova aperture solstice asteroid constellation`,
    gardening: `seed compost perennial pruning soil mulch orchard tomato greenhouse bulb hedge lawn rose irrigation seedling herb
    trellis fertilizer shrub harvest`,
    cooking: `recipe oven butter garlic simmer flour saucepan roast pastry vinegar spice dough broth onion caramel whisk grill
    dessert parsley marinade`,
    football: `striker goalkeeper penalty league midfield stadium referee transfer derby offside coach fixture defender tackle
    championship corner squad supporter trophy kickoff`,
    cycling: `bicycle saddle pedal derailleur sprint peloton helmet brake gradient wheel climber tandem handlebar chainring tyre
    touring velodrome spoke crank frame`,
    medicine: `patient therapy diagnosis clinical symptom vaccine surgery dosage chronic infection hospital tumour antibody nurse
    placebo prognosis cardiac insulin screening trial`,
    law: `plaintiff statute verdict appeal contract liability attorney jurisdiction tribunal evidence lawsuit clause defendant
    testimony patent copyright court hearing settlement judge`,
    finance: `dividend equity bond portfolio interest inflation mortgage broker hedge currency audit credit yield asset market
    pension tax loan deposit shareholder`,
    travel: `hotel itinerary passport beach museum flight luggage island hostel sightseeing airport cruise visa village resort
    monument backpack border souvenir excursion`,
    music: `guitar melody orchestra album rhythm violin concert chorus drummer harmony soprano vinyl symphony piano festival lyric
    tempo quartet recording composer`,
    cinema: `director screenplay actor premiere festival documentary sequel camera studio thriller editing soundtrack drama scene
    animation casting critic audience remake trailer`,
    software: `compiler kernel database thread debug repository protocol latency cache parser encryption browser server release
    library module patch interface pointer script`,
    electronics: `resistor capacitor transistor voltage circuit solder diode oscilloscope antenna microcontroller amplifier sensor
    battery firmware relay inductor waveform signal schematic frequency`,
    physics: `quantum particle entropy photon momentum neutron lattice relativity boson plasma detector collider symmetry
    superconductor laser isotope fission wavelength magnetism experiment`,
    biology: `enzyme genome protein species cell bacteria mutation evolution membrane habitat chromosome predator fungus neuron
    organism photosynthesis larva pollen taxonomy mammal`,
    history: `empire dynasty medieval treaty revolution archive monarch colony fortress manuscript crusade republic chronicle siege
    archaeology pharaoh parliament kingdom armistice emperor`,
    politics: `election senate ballot campaign minister coalition referendum policy opposition candidate reform diplomat budget
    parliament mandate lobby voter sanction constituency cabinet`,
    fashion: `textile couture runway fabric wardrobe designer boutique leather silk jewelry handbag tailor collection sneaker
    vintage denim accessory embroidery hemline model`,
    cars: `engine gearbox torque sedan horsepower clutch diesel chassis turbo bumper exhaust hybrid suspension dealer mileage
    convertible windshield brake axle piston`,
    sailing: `yacht harbour regatta anchor keel rudder spinnaker mooring skipper tide navigation mast hull jib lighthouse knot
    buoy helmsman catamaran offshore`,
    literature: `novel poet metaphor publisher sonnet narrative author prose chapter manuscript fiction essay anthology translation
    critic protagonist verse biography paperback satire`,
    photography: `shutter lens exposure tripod portrait darkroom pixel contrast landscape filter negative flash aperture gallery
    macro bokeh composition print zoom sepia`,
    weather: `forecast rainfall humidity thunderstorm barometer hurricane drought temperature blizzard cyclone frost monsoon
    radar front cloud precipitation heatwave tornado breeze climate`,
    gambling: `casino poker jackpot roulette blackjack bonus wager slot betting croupier dealer odds chip bingo lottery payout
    tournament bluff deposit spin`,
  }).map(([name, text]) => ({ name, words: words(text) }));

const STEMS =
  words(`ka lo mi ten bra sol ver dun kre pal tor nav sil mon gar fel hul ost pre rin tal zem dor vik lum
  har ste nor bel cor`);
const CYRILLIC =
  words(`ка ло ми тен бра сол вер дун кре пал тор нав сил мон гар фел хул ост пре рин тал зем дор вик лум
  хар сте нор бел кор`);

/** An invented word of a language: two or three stems and one of its endings. */
export function inventWord(language: Language, number: number, tag: number): string {
  const stems = language.legacy === 'windows-1251' ? CYRILLIC : STEMS;
  const h = hash(tag, 0x77, number);
  const middle = (h >>> 10) % 3 === 0 ? stems[(h >>> 12) % stems.length] : '';
  return (
    stems[h % stems.length] +
    middle +
    stems[(h >>> 5) % stems.length] +
    pick(language.endings, h >>> 20)
  );
}

/** The topic's words in a language: the real ones in English, invented ones elsewhere. */
export function topicWords(language: Language, topic: number): readonly string[] {
  if (language.code === 'en') return TOPICS[topic].words;
  const code = language.code.charCodeAt(0) * 256 + language.code.charCodeAt(1);
  return TOPICS[topic].words.map((_, i) => inventWord(language, topic * 100 + i, code));
}

/** A word as used in a path: its letters a-z, or undefined if it has others. */
export function slugOf(word: string): string | undefined {
  const plain = word.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
  return /^[a-z]+$/.test(plain) ? plain : undefined;
}

function pick<T>(list: readonly T[], h: number): T {
  return list[h % list.length];
}
