/**
 * The words of languages, and the only place of the reader where any stand. What they do in a question is a cue; all that
 * is learned is learned of cues, so that weights hold for every language that has a table here.
 */
export interface ReaderLanguage {
  id: "en" | "de";
  cues: Readonly<Record<string, readonly string[]>>;
  /** Words of grammar, which name nothing by themselves. */
  grammar: ReadonlySet<string>;
  /** Words that are rarely a name or a value by themselves. */
  weak: ReadonlySet<string>;
  numbers: Readonly<Record<string, number>>;
  irregular: ReadonlyMap<string, string>;
  /** What is asked for by other words than its name: of who is oldest, the age. */
  measures: ReadonlyMap<string, readonly string[]>;
  stem: (word: string) => string;
}

const set = (words: string) => new Set(words.split(/\s+/).filter((word) => word !== ""));
const measures = (text: string) =>
  new Map(
    text.split(";").flatMap((line) => {
      const [words = "", names = ""] = line.split(":");
      return phrases(words).map((word) => [word, phrases(names)] as const);
    }),
  );
const phrases = (text: string) => text.split(",").map((each) => each.trim());

const ENGLISH_GRAMMAR = `the a an of is are was were be been do does did to for in on at and or by with from that which
  what whose whom how many much all any each me please there their its his her it that they them we our us have has had
  this those these as also`;

const ENGLISH: ReaderLanguage = {
  id: "en",
  grammar: set(ENGLISH_GRAMMAR),
  weak: set(`${ENGLISH_GRAMMAR} who where when show list find give return tell name names id ids number`),
  numbers: {
    ...{ zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
    ...{ eleven: 11, twelve: 12, twenty: 20, once: 1, twice: 2, hundred: 100, thousand: 1_000, million: 1e6 },
  },
  irregular: new Map(
    `people person,children child,men man,women woman,countries country,cities city,taught teach,won win,wrote write,
    written write,made make,paid pay,sold sell,bought buy,born birth,indices index,criteria criterion,feet foot,
    wives wife,lives life,took take,taken take,held hold,ids id,less less,class class,status status,address address,
    courses course,races race,prices price,sizes size,bus bus,buses bus,movies movie,movie movie,series series,
    species species,media media`
      .split(",")
      .map((pair) => pair.trim().split(" ") as [string, string]),
  ),
  measures: measures(
    `old,older,oldest,young,younger,youngest:age,birth,dob;long,longer,longest,short,shorter,shortest:length,duration,minute;
    heavy,heavier,heaviest,lightest:weight;tall,taller,tallest:height;high,higher,highest:height,elevation;
    expensive,cheap,cheaper,cheapest,cost,costs,pay,paid:price,cost,fee,charge,amount;
    recent,recently,latest,newest,earliest,when,since,before,after:date,year,time;
    big,bigger,biggest,large,larger,largest,small,smaller,smallest:size,area,population,capacity;
    fast,faster,fastest,slow,slower,slowest:speed,time;hot,hottest,cold,coldest,warm:temperature;
    rich,richest,earn,earns,paid:salary,income,wage;where,live,lives,located,live:location,city,address,country,place,state;
    born:birth,date,place;who,whom,whose:name;crowded,populous,people,inhabitants:population;
    deep,deepest:depth;wide,widest:width;strong,strongest:power,strength;come,comes,from:country,nationality,hometown;
    happen,happened,start,started,begin:date,time,start;end,ended:end,date`,
  ),
  stem: englishStem,
  cues: {
    COUNT: phrases("how many,number of,count,total number of,numbers of,total number,counts,the amount of"),
    AVG: phrases("average,mean,avg,averages"),
    SUM: phrases("total,sum,combined,overall,in total,altogether"),
    MAX: phrases(
      "maximum,max,highest,largest,biggest,greatest,longest,tallest,oldest,latest,most recent,newest,heaviest,best,top,fastest,most recently,strongest,last,deepest",
    ),
    MAXA: phrases("most expensive,most"),
    MIN: phrases(
      "mininum,minimum,min,lowest,smallest,shortest,least,fewest,cheapest,earliest,lightest,slowest,worst,least expensive,first,closest,nearest",
    ),
    YOUNG: ["youngest"],
    POP: phrases(
      "most common,most popular,most frequent,most frequently,most commonly,most often,common,popular",
    ),
    UNPOP: phrases("least common,least popular,least frequent,least frequently"),
    EACH: phrases(
      "each,every,per,for each,different,of each,respective,corresponding,in each,grouped by,by each,for all,for every,for different",
    ),
    DIST: phrases("distinct,unique,distinctly,different types of,kinds of,different kinds of"),
    ORD: phrases(
      "order,sorted,ordered,sort,ordered by,sorted by,order by,alphabetical,alphabetically,lexicographical,in order of,in the order of,sort by,ranked,ranked by,lexicographic,rank",
    ),
    ASC: phrases(
      "ascending,increasing,from lowest to highest,from low to high,from youngest to oldest,ascendingly,from the youngest,from earliest",
    ),
    DESC: phrases(
      "descending,decreasing,from highest to lowest,from high to low,from oldest to youngest,descendingly,reverse,from most,from the oldest,from latest",
    ),
    GT: phrases(
      "more than,greater than,larger than,higher than,above,over,bigger than,exceeds,exceeding,exceed,longer than,older than,heavier than,taller than,greater,higher,larger,more,older,longer,bigger,faster than",
    ),
    LT: phrases(
      "less than,lower than,smaller than,below,under,fewer than,shorter than,younger than,cheaper than,lighter than,lower,smaller,fewer,less,younger,shorter,slower than",
    ),
    AFTER: phrases("after,since,later than,later"),
    BEFORE: phrases("before,prior to,earlier than,earlier,until"),
    GE: phrases(
      "at least,no less than,or more,no fewer than,or above,or higher,minimum of,not less than,or later,or greater,or older,or longer,or over,or larger,and above,and older,or after,and over,and more",
    ),
    LE: phrases(
      "at most,no more than,or less,not more than,up to,or fewer,or below,or earlier,or younger,or shorter,or under,or smaller,or lower,or before,and below,a maximum of",
    ),
    BTW: phrases("between,ranging from,in the range"),
    NOT: phrases(
      "not,n't,no,never,without,neither,nor,none,cannot,didn't,don't,doesn't,haven't,hasn't,isn't,aren't,wasn't,did not,do not,does not,have not,has not,is not,are not,was not",
    ),
    EXC: phrases(
      "except,excluding,other than,but not,exclude,besides,apart from,but no,but have not,but has not,but did not",
    ),
    BOTH: phrases("both,as well as,at the same time,and also,in common,common to,shared by"),
    EITHER: ["either"],
    OR: ["or"],
    AND: ["and"],
    ALSO: ["also", "too"],
    LIKE: phrases(
      "contain,contains,containing,include,includes,substring,with the word,has the word,the word,the letter,letter,letters,the letters,including,in the name,in its,in their",
    ),
    START: phrases(
      "start with,starts with,starting with,begin with,begins with,beginning with,prefix,start,starts,initial",
    ),
    END: phrases("end with,ends with,ending with,suffix"),
    WHO: ["who", "whom"],
    WHERE: ["where"],
    WHEN: ["when"],
    WHICH: ["which", "what"],
    HOWLONG: phrases("how long,how old,how much,how large,how big,how far,how high,how tall"),
    WHOSE: ["whose"],
    WITH: phrases("with,having,has,have,had"),
    THAT: ["that"],
    OF: ["of", "'s"],
    IN: ["in", "on", "at"],
    FOR: ["for", "from", "to"],
    BY: ["by"],
    ITS: phrases("its,their,his,her"),
    ANY: ["any", "some"],
    ALL: ["all"],
    IS: phrases("is,are,was,were,equal,equals"),
    STAR: phrases(
      "all information,all the information,all info,all details,all the details,everything,all available information,all of the information,complete information,all the available information,all columns,all available features,full information",
    ),
    SAME: ["same", "the same"],
    THAN: phrases("than,compared"),
    SHOW: phrases("show,list,find,give,return,display,tell,please,report,what are,what is"),
    TIMES: ["times", "time"],
  },
};

const GERMAN_GRAMMAR = `der die das des dem den ein eine einer eines einem einen ist sind war waren gibt es von für zu zum
  zur mit und oder in im am an auf aus bei nach sie er ihr ihre ihres ihren ihrem darin denen sich haben hat hatte wird
  werden wie viele alle uns mir bitte auch dass als`;

const GERMAN: ReaderLanguage = {
  id: "de",
  grammar: set(GERMAN_GRAMMAR),
  weak: set(`${GERMAN_GRAMMAR} wer wo wann zeige liste nenne gib finde name namen nummer`),
  numbers: {
    ...{ null: 0, eins: 1, einmal: 1, zwei: 2, zweimal: 2, drei: 3, vier: 4, fünf: 5, sechs: 6, sieben: 7 },
    ...{ acht: 8, neun: 9, zehn: 10, elf: 11, zwölf: 12, zwanzig: 20, hundert: 100, tausend: 1_000 },
  },
  irregular: new Map([
    ["städte", "stadt"],
    ["länder", "land"],
    ["länder", "land"],
  ]),
  measures: measures(
    `alt,älter,ältesten,älteste,jung,jünger,jüngste,jüngsten:alter,age,geburt,birth;
    lang,länger,längste,längsten,kurz,kürzer,kürzeste:länge,dauer,length,duration;
    schwer,schwerer,schwerste,leichter,leichteste:gewicht,weight;groß,größte,größten:größe,fläche,size,area,population;
    hoch,höchste,höchsten:höhe,height;teuer,teuerste,teuersten,billig,billigste,günstigste,kostet,kosten:preis,price,cost;
    neueste,neuesten,letzte,letzten,früheste,wann,seit:datum,jahr,date,year;
    wo,wohnt,wohnen,liegt:ort,stadt,adresse,location,city,address;geboren:geburt,birth;wer,wem,wen:name;
    schnell,schnellste:geschwindigkeit,speed;verdient,verdienen:gehalt,salary`,
  ),
  stem: germanStem,
  cues: {
    COUNT: phrases("wie viele,wieviele,anzahl,anzahl der,die anzahl der,zähle,zahl der"),
    AVG: phrases(
      "durchschnitt,durchschnittliche,durchschnittlichen,durchschnittlicher,durchschnittliches,im schnitt,mittlere,mittleren",
    ),
    SUM: phrases("summe,gesamt,insgesamt,gesamte,gesamten"),
    MAX: phrases(
      "höchste,höchsten,höchster,größte,größten,größter,maximale,maximalen,ältesten,älteste,neueste,neuesten,längste,längsten,teuerste,teuersten,letzte,letzten,schwerste,schwersten",
    ),
    MAXA: phrases("meisten,am meisten"),
    MIN: phrases(
      "niedrigste,niedrigsten,kleinste,kleinsten,geringste,geringsten,wenigsten,kürzeste,kürzesten,billigste,billigsten,günstigste,günstigsten,erste,ersten,früheste,leichteste",
    ),
    YOUNG: phrases("jüngste,jüngsten"),
    POP: phrases("häufigste,häufigsten,beliebteste,beliebtesten"),
    UNPOP: phrases("seltenste,seltensten"),
    EACH: phrases("jede,jeden,jedes,jeder,jedem,je,pro,für jede,für jedes,für jeden,in jeder,in jedem"),
    DIST: phrases("verschiedene,verschiedenen,unterschiedliche,unterschiedlichen"),
    ORD: phrases(
      "reihenfolge,sortiert,sortiert nach,sortiere nach,alphabetischer,alphabetisch,geordnet,geordnet nach",
    ),
    ASC: phrases("aufsteigend,aufsteigender"),
    DESC: phrases("absteigend,absteigender"),
    GT: phrases("mehr als,größer als,über,höher als,älter als,länger als,schwerer als,größer,höher,mehr"),
    LT: phrases(
      "weniger als,kleiner als,unter,niedriger als,jünger als,kürzer als,leichter als,kleiner,weniger",
    ),
    AFTER: phrases("seit,später als"),
    BEFORE: phrases("vor,früher als,bis"),
    GE: phrases("mindestens,oder mehr,wenigstens"),
    LE: phrases("höchstens,maximal,oder weniger"),
    BTW: ["zwischen"],
    NOT: phrases("nicht,kein,keine,keinen,keiner,keinem,ohne,nie,niemals"),
    EXC: phrases("außer,ausgenommen"),
    BOTH: phrases("sowohl,als auch,beide"),
    EITHER: ["entweder"],
    OR: ["oder"],
    AND: ["und"],
    ALSO: ["auch"],
    LIKE: phrases("enthält,enthalten"),
    START: phrases("beginnt mit,beginnen mit,fängt an mit"),
    END: phrases("endet mit,enden mit"),
    WHO: ["wer", "wem", "wen"],
    WHERE: ["wo"],
    WHEN: ["wann"],
    WHICH: phrases("welche,welcher,welches,welchen,was"),
    HOWLONG: phrases("wie lang,wie alt,wie hoch,wie groß,wie viel,wie weit"),
    WHOSE: ["deren", "dessen"],
    WITH: phrases("mit,haben,hat,hatte"),
    OF: phrases("der,des,von"),
    IN: phrases("in,im,an,am,auf"),
    FOR: phrases("für,aus,zu"),
    BY: ["nach"],
    ITS: phrases("ihr,ihre,ihres,ihren"),
    ANY: phrases("irgendein,irgendeine"),
    ALL: ["alle", "allen"],
    IS: phrases("ist,sind,war,waren"),
    STAR: phrases("alle angaben,alle informationen,alles"),
    SAME: phrases("gleiche,gleichen,dieselbe,denselben"),
    THAN: ["als"],
    SHOW: phrases("zeige,zeig,liste,nenne,gib,finde,was sind,was ist"),
    TIMES: ["mal"],
  },
};

const LANGUAGES = [ENGLISH, GERMAN] as const;

/** The language that most words of grammar in these are of. */
export function languageOf(words: readonly string[]): ReaderLanguage {
  const known = ({ grammar, cues }: ReaderLanguage) => {
    const cueWords = new Set(Object.values(cues).flat());
    return words.filter((word) => grammar.has(word) || cueWords.has(word)).length;
  };
  const [english, german] = LANGUAGES;
  return known(german) > known(english) ? german : english;
}

/** What names of columns are short for. */
export const SHORT_FORMS: Readonly<Record<string, string>> = {
  ...{ fname: "first name", lname: "last name", dob: "date birth", num: "number", no: "number" },
  ...{ nbr: "number", amt: "amount", dept: "department", stu: "student", emp: "employee", qty: "quantity" },
  ...{ addr: "address", desc: "description", prof: "professor", crs: "course", cust: "customer" },
  ...{ org: "organization", yr: "year", avg: "average", max: "maximum", min: "minimum", pct: "percent" },
  ...{ tel: "telephone", acc: "account", pop: "population", lat: "latitude", long: "longitude", hs: "hour" },
  ...{ fac: "faculty", init: "initial", loc: "location", apt: "apartment", mgr: "manager", lang: "language" },
  ...{ govt: "government", info: "information", temp: "temperature", pid: "player id", cname: "name" },
  ...{ pname: "name", sname: "name", dname: "name", rname: "name", mname: "name", sid: "student id" },
};

/** What one letter in a column of two or three values stands for. */
export const LETTER_VALUES: readonly (readonly [words: RegExp, letter: string])[] = [
  [/^(female|woman|women|girl|weiblich|frau)(s|en)?$/, "f"],
  [/^(male|man|men|boy|männlich|mann|männer)s?$/, "m"],
];

function englishStem(whole: string): string {
  let word = whole;
  if (word.length <= 3)
    return word.length === 3 && word.endsWith("s") && !/[aiou]s$|ss$/.test(word) ? word.slice(0, -1) : word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("s") && !/(ss|us|is)$/.test(word)) word = word.slice(0, -1);
  if (word.endsWith("ied")) return `${word.slice(0, -3)}y`;
  if (word.endsWith("eed")) return word;
  const [, base] = /^(.*[aeiouy].*?)(?:ed|ing)$/.exec(word) ?? [];
  if (base !== undefined && base.length >= 3) {
    const single = /([bdfgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
    return single.endsWith("e") ? single.slice(0, -1) : single;
  }
  return word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;
}

function germanStem(whole: string): string {
  const word = whole.length > 5 ? whole.replace(/(innen|ern|en|er|es|em|e|n|s)$/, "") : whole;
  return word.length > 5 ? word.replace(/(e|n|r)$/, "") : word;
}
