// A supplier with seeded behaviour: honest with the scatter of real ones, or lying in a chosen way. It speaks OpenAI's chat
// format over HTTP, and its answers can also be made without a network.
import { PROBE_QUESTIONS } from '#server/suppliers/probe-questions.ts';
import { diceOf, type Dice } from '#tests/chaos/seeded.ts';

export interface Lies {
  /** Tokens reported, for each real one. */
  inflation?: number;
  /** Share of answers billed with three times their output. */
  padded?: number;
  /** `named`: the answer gives the cheaper model's name. `hidden`: a model of another family under the name asked for. */
  cheaper?: 'named' | 'hidden';
  /** Reasoning tokens reported, for each real one; 1: an honest model that reasons. */
  reasoning?: number;
  /** Share of streams that end in the middle. */
  cut?: number;
  /** Share of prompts for which a cache read is invented. */
  fakeCache?: number;
}

export interface SupplierAnswer {
  model: string;
  pieces: string[];
  promptTokens: number;
  cachedTokens: number;
  /** Without reasoning. */
  completionTokens: number;
  reasoningTokens: number;
  isCut: boolean;
  /** Given, not waited for. */
  firstTokenMilliseconds: number;
  milliseconds: number;
}

/** What tells two models apart from outside: tokenizer, speed, and answers to questions. */
interface Family {
  tokensPerWideCharacter: number;
  charactersPerToken: number;
  firstTokenMilliseconds: number;
  tokensPerSecond: number;
  answers: string;
}

/** The small one is faster and counts fewer tokens, both by less than what alone would be a fault. */
const FAMILIES: Record<'large' | 'small', Family> = {
  large: {
    tokensPerWideCharacter: 0.78,
    charactersPerToken: 4.6,
    firstTokenMilliseconds: 500,
    tokensPerSecond: 60,
    answers: 'large',
  },
  small: {
    tokensPerWideCharacter: 0.74,
    charactersPerToken: 4.85,
    firstTokenMilliseconds: 300,
    tokensPerSecond: 130,
    answers: 'small',
  },
};

const questionTexts = new Set(PROBE_QUESTIONS.map(({ text }) => text));
/** Questions of a hundred that both families usually answer alike. */
const alikePercent = 40;

const english =
  'the of and to a in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do'.split(
    ' ',
  );
const chinese =
  '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处理世车'.split(
    '',
  );

export function sentence(dice: Dice, words: number, language: 'en' | 'zh'): string {
  if (language === 'zh') {
    let text = '';
    for (let at = 0; at < words; at += 1) text += dice.pick(chinese) + (at % 17 === 16 ? '，' : '');
    return text;
  }
  return Array.from({ length: words }, () => dice.pick(english)).join(' ');
}

/** Nearly normal around 0. */
function scatter(dice: Dice): number {
  return (dice.next() + dice.next() + dice.next() + dice.next() - 2) * 1.73;
}

/** A tokenizer that is not the gateway's estimate. */
function tokensOf(text: string, { tokensPerWideCharacter, charactersPerToken }: Family, dice: Dice): number {
  const wide = text.replaceAll(/[^\u3040-\u9fff]/g, '').length;
  const tokens = wide * tokensPerWideCharacter + (text.length - wide) / charactersPerToken;
  return Math.max(1, Math.round(tokens * Math.exp(0.06 * scatter(dice))));
}

const percentOf = (text: string): number => Number(Bun.hash(text) % 100n);

/**
 * A quarter of the questions is a free choice, which a model answers differently four times in ten; of the others it answers
 * one in twelve in an odd way. `seed` decides which questions are which, for all suppliers of a run.
 */
function probeAnswer(question: string, { answers }: Family, seed: number, dice: Dice): string {
  const isFree = percentOf(`${seed} free ${question}`) < 25;
  const isAlike = percentOf(`${seed} alike ${question}`) < alikePercent;
  if (dice.next() < (isFree ? 0.4 : 1 / 12)) return `${isFree ? 'choice' : 'odd'} ${dice.between(1, 6)}`;
  return `${isAlike ? 'both' : answers} ${percentOf(question)}`;
}

export class Supplier {
  readonly lies: Lies;
  readonly #dice: Dice;
  readonly #timeDice: Dice;
  readonly #family: Family;
  readonly #questionSeed: number;
  /** The first event comes after the model has reasoned, not before. */
  readonly #isLate: boolean;
  readonly #cached = new Set<string>();

  /** `questionSeed`: the same for suppliers whose answers to probe questions are compared. */
  constructor(seed: number, lies: Lies = {}, questionSeed = 0) {
    this.lies = lies;
    this.#dice = diceOf(seed * 7919 + 13);
    this.#timeDice = diceOf(seed * 6701 + 5);
    this.#family = FAMILIES[lies.cheaper === 'hidden' ? 'small' : 'large'];
    this.#questionSeed = questionSeed;
    this.#isLate = diceOf(seed).next() < 0.5;
  }

  answer(prompt: string, asked: string): SupplierAnswer {
    const dice = this.#dice;
    const { inflation = 1, padded = 0, cut = 0.003, fakeCache = 0, cheaper, reasoning } = this.lies;
    const language = /[\u3040-\u9fff]/.test(prompt) ? 'zh' : 'en';
    const family = this.#family;
    const text = questionTexts.has(prompt)
      ? probeAnswer(prompt, family, this.#questionSeed, dice)
      : sentence(dice, dice.between(60, 260), language);
    const promptTokens = Math.round(tokensOf(prompt, family, dice) * inflation) + 4;
    const paddedBy = dice.next() < padded ? 3 : 1;
    const realTokens = tokensOf(text, family, dice);
    const completionTokens = Math.round(realTokens * inflation * paddedBy);
    const beginning = prompt.slice(0, 4000);
    const isHit = prompt.length > 4000 && this.#cached.has(beginning);
    this.#cached.add(beginning);
    const claims = isHit || (promptTokens > 500 && dice.next() < fakeCache);
    const timeDice = this.#timeDice;
    const reasoned = reasoning === undefined ? 0 : Math.round(600 * Math.exp(0.8 * scatter(timeDice)));
    const reasoningMilliseconds = (reasoned * 1000) / family.tokensPerSecond;
    const writing = (realTokens * 1000 * Math.exp(0.2 * scatter(timeDice))) / family.tokensPerSecond;
    const waiting = family.firstTokenMilliseconds * Math.exp(0.3 * scatter(timeDice));
    return {
      model: cheaper === 'named' ? 'gpt-4o-mini-2024-07-18' : `${asked}-2024-08-06`,
      pieces: text.match(/[\s\S]{1,24}/g) ?? [],
      promptTokens,
      cachedTokens: claims ? Math.floor((promptTokens * 0.9) / 128) * 128 : 0,
      completionTokens,
      isCut: dice.next() < cut,
      reasoningTokens: Math.round(reasoned * (reasoning ?? 0)),
      firstTokenMilliseconds: waiting + (this.#isLate ? reasoningMilliseconds : 0),
      milliseconds: writing + (this.#isLate ? 0 : reasoningMilliseconds),
    };
  }
}

export interface AskedPrompt {
  userId: number;
  text: string;
}

/** What users send: two languages, short and long, repeated beginnings, and one user with odd texts. */
export function* prompts(seed: number): Generator<AskedPrompt, never> {
  const dice = diceOf(seed * 104_729 + 7);
  const systems: string[] = [];
  for (;;) {
    const userId = dice.between(1, 6);
    if (userId === 6) {
      yield { userId, text: '🙂{"k":[0x3f,-1]}~'.repeat(dice.between(3, 40)) };
      continue;
    }
    const language = dice.next() < 0.3 ? 'zh' : 'en';
    if (dice.next() < 0.6) {
      yield { userId, text: sentence(dice, dice.between(60, 200), language) };
      continue;
    }
    const isRepeated = systems.length > 0 && dice.next() < 0.4;
    const system = isRepeated
      ? dice.pick(systems)
      : sentence(dice, language === 'zh' ? 4200 : 1400, language);
    if (!isRepeated) systems.push(system);
    yield { userId, text: `${system}\n${sentence(dice, 20, language)}` };
  }
}

export interface SupplierServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The same supplier over HTTP. */
export function serveSupplier(supplier: Supplier): SupplierServer {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { model, messages, stream } = (await request.json()) as {
        model: string;
        messages: { content: string }[];
        stream?: boolean;
      };
      const answer = supplier.answer(messages.map(({ content }) => content).join('\n'), model);
      const usage = {
        prompt_tokens: answer.promptTokens,
        completion_tokens: answer.completionTokens,
        total_tokens: answer.promptTokens + answer.completionTokens,
        prompt_tokens_details: { cached_tokens: answer.cachedTokens },
      };
      const head = { id: 'chatcmpl-1', created: 1, model: answer.model };
      if (stream !== true) {
        const message = { role: 'assistant', content: answer.pieces.join('') };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        return Response.json({ ...head, object: 'chat.completion', choices, usage });
      }
      const chunk = (fields: object): string =>
        `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`;
      const delta = (content: string): string =>
        chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      const sent = answer.isCut ? answer.pieces.slice(0, answer.pieces.length / 2) : answer.pieces;
      const end = answer.isCut
        ? ''
        : chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
          chunk({ choices: [], usage }) +
          'data: [DONE]\n\n';
      return new Response(sent.map(delta).join('') + end, {
        headers: { 'content-type': 'text/event-stream' },
      });
    },
  });
  return { url: server.url.href.replace(/\/$/, ''), stop: () => server.stop(true) };
}
