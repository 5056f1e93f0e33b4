// Small questions. Two models often answer them differently, two calls of one model seldom: sums that models guess, choices
// without a right answer, and facts that only some models know. No answer is right or wrong by itself: it is compared with
// what other channels of the same model answer. The judgement needs about a dozen that two models answer differently, and
// models of one family answer half of them alike.

export interface Question {
  /** Stored with each probe: never reused for another text. */
  id: string;
  text: string;
}

const ONLY_NUMBER = 'Reply with the number only.';
const ONLY_WORD = 'Reply with one word only.';

export const PROBE_QUESTIONS: readonly Question[] = [
  { id: 'product', text: `What is 48173 times 9264? Do not show any steps. ${ONLY_NUMBER}` },
  { id: 'product-2', text: `What is 7391 times 60847? Do not show any steps. ${ONLY_NUMBER}` },
  { id: 'product-3', text: `What is 90217 times 53368? Do not show any steps. ${ONLY_NUMBER}` },
  { id: 'product-4', text: `What is 3.1786 times 0.04927, exactly? Do not show any steps. ${ONLY_NUMBER}` },
  { id: 'power', text: `What is 17 to the power of 9? Do not show any steps. ${ONLY_NUMBER}` },
  { id: 'remainder', text: `What is the remainder of 918273645 divided by 97? ${ONLY_NUMBER}` },
  { id: 'remainder-2', text: `What is the remainder of 7705316842 divided by 389? ${ONLY_NUMBER}` },
  { id: 'root', text: `What is the square root of 79193 to six decimals? ${ONLY_NUMBER}` },
  { id: 'logarithm', text: `What is the natural logarithm of 4177 to six decimals? ${ONLY_NUMBER}` },
  { id: 'binary', text: `Write the decimal number 918273 in binary. ${ONLY_NUMBER}` },
  { id: 'prime', text: `Which is the smallest prime number above 104730? ${ONLY_NUMBER}` },
  { id: 'weekday', text: `Which weekday was 14 March 1763? ${ONLY_WORD}` },
  { id: 'days', text: `How many days are between 9 May 1811 and 2 October 1894? ${ONLY_NUMBER}` },
  {
    id: 'letters',
    text: `How many times does the letter "e" occur in "the telegrapher re-entered eleven references"? ${ONLY_NUMBER}`,
  },
  {
    id: 'letters-2',
    text: `How many letters has "Whatever the weather, the lighthouse keeper counts every ship that passes"? ${ONLY_NUMBER}`,
  },
  { id: 'backwards', text: 'Write "Zq7-tollbooth-Kx" backwards. Reply with that text only.' },
  {
    id: 'backwards-2',
    text: 'Write "unparenthesised quartermaster" backwards. Reply with that text only.',
  },
  {
    id: 'cipher',
    text: 'Move every letter of "harbour pilot" eleven places on in the alphabet. Reply with that text only.',
  },
  { id: 'number', text: `Choose any whole number between 1 and 1000. ${ONLY_NUMBER}` },
  { id: 'animal', text: `Name one animal whose name begins with the letter "c". ${ONLY_WORD}` },
  { id: 'colour', text: `Name a colour that is not red, green, blue, black or white. ${ONLY_WORD}` },
  { id: 'name', text: `Choose a first name for the hero of a sea story. ${ONLY_WORD}` },
  { id: 'word', text: `Reply with a rare English word of nine letters. ${ONLY_WORD}` },
  { id: 'town', text: `Name a town in Portugal that is not Lisbon and not Porto. ${ONLY_WORD}` },
  { id: 'noun', text: `Complete the sentence: "The old bridge smelled of rain and". ${ONLY_WORD}` },
  { id: 'flower', text: `Choose a flower for a coat of arms. ${ONLY_WORD}` },
  {
    id: 'cut-off',
    text: 'Which year and month does your training data end with? Reply as YYYY-MM only.',
  },
  { id: 'river', text: `How long is the river Vistula in kilometres? ${ONLY_NUMBER}` },
  { id: 'hill', text: `How high is Ben Lomond in Scotland in metres? ${ONLY_NUMBER}` },
  { id: 'lake', text: `What is the greatest depth of Lake Ohrid in metres? ${ONLY_NUMBER}` },
  { id: 'comet', text: `In which year was comet Encke first seen? ${ONLY_NUMBER}` },
  { id: 'boiling', text: `At how many degrees Celsius does osmium boil? ${ONLY_NUMBER}` },
  { id: 'bridge', text: `How many metres long is the Firth of Forth railway bridge? ${ONLY_NUMBER}` },
  { id: 'opus', text: `How many opus numbers has the composer Carl Czerny? ${ONLY_NUMBER}` },
  { id: 'atoms', text: `What is the standard atomic weight of hafnium to three decimals? ${ONLY_NUMBER}` },
  { id: 'fish', text: `Choose a fish for the sign of an inn. ${ONLY_WORD}` },
  { id: 'idiom', text: '请任意写出一个含有“水”字的四字成语，只回答这个成语。' },
  { id: 'idiom-2', text: '请任意写出一个含有“灯”字的四字成语，只回答这个成语。' },
  { id: 'strokes', text: '汉字“鬱”一共有多少画？只回答数字。' },
  { id: 'strokes-2', text: '汉字“龜”一共有多少画？只回答数字。' },
  { id: 'couplet', text: '请为“春风又绿江南岸”写出下一句诗，只回答这一句，不要标点。' },
  { id: 'couplet-2', text: '请对下联：“风吹竹影千层绿”，只回答下联，不要标点。' },
  { id: 'dish', text: '请任意说出一道含有豆腐的菜名，只回答菜名。' },
  { id: 'rhyme', text: '请写出一个与“桥”押韵的汉字，只回答这个字。' },
];

export const MOST_ANSWER_TOKENS = 64;

/** What is compared: letters and digits of the beginning. */
export function answerKey(answer: string): string {
  return answer
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, 40);
}
