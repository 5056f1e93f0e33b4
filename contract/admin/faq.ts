// Questions that users ask often, with the operator's answers.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { inLanguage, type Language } from '#contract/language.ts';
import { idParams } from '#contract/lists.ts';

export const MOST_QUESTIONS = 100;

const question = z.object({
  id: z.number(),
  question: z.string(),
  /** The English version, as `answer_en`; empty: there is only the other. */
  question_en: z.string(),
  /** Markdown. */
  answer: z.string(),
  answer_en: z.string(),
});
export type Question = z.output<typeof question>;

/** What a reader of this language sees. */
export const questionIn = (
  language: Language,
  { question, question_en, answer, answer_en }: Question,
): Pick<Question, 'question' | 'answer'> => ({
  question: inLanguage(language, question, question_en),
  answer: inLanguage(language, answer, answer_en),
});

const questionText = z.string().trim().max(200);
const answerText = z.string().trim().max(20_000);

export const questionFields = z.object({
  question: questionText.min(1),
  question_en: questionText.default(''),
  answer: answerText.min(1),
  answer_en: answerText.default(''),
});

/** A client that knows no English version leaves it as it is. */
const changedFields = questionFields.extend({
  question_en: questionText.optional(),
  answer_en: answerText.optional(),
  based_on: basedOn,
});

export const faq = {
  list: endpoint({
    method: 'GET',
    path: '/api/faq',
    access: 'public',
    summary: { zh: '常见问题', en: 'Frequently asked questions' },
    returns: z.array(question),
  }),
  /** At the end of the list. */
  create: endpoint({
    method: 'POST',
    path: '/api/faq',
    access: 'root',
    summary: { zh: '添加常见问题', en: 'Add a question' },
    body: questionFields,
    returns: question,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/faq/{id}',
    access: 'root',
    summary: { zh: '修改常见问题', en: 'Change a question' },
    params: idParams,
    body: changedFields,
    returns: question,
  }),
  /** Questions that the list does not name follow it in their old order. */
  order: endpoint({
    method: 'POST',
    path: '/api/faq/order',
    access: 'root',
    summary: { zh: '调整常见问题的顺序', en: 'Reorder the questions' },
    body: z.object({ ids: z.array(z.number().int().positive()).max(MOST_QUESTIONS) }),
    returns: z.array(question),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/faq/{id}',
    access: 'root',
    summary: { zh: '删除常见问题', en: 'Delete a question' },
    params: idParams,
    returns: z.null(),
  }),
};
