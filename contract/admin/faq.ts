// Questions that users ask often, with the operator's answers.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const MOST_QUESTIONS = 100;

const question = z.object({
  id: z.number(),
  question: z.string(),
  /** Markdown. */
  answer: z.string(),
});
export type Question = z.output<typeof question>;

export const questionFields = z.object({
  question: z.string().trim().min(1).max(200),
  answer: z.string().trim().min(1).max(20_000),
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
    body: questionFields.extend({ based_on: basedOn }),
    returns: question,
  }),
  /** Questions that the list does not name follow it in their old order. */
  order: endpoint({
    method: 'POST',
    path: '/api/faq/order',
    access: 'root',
    summary: { zh: '调整常见问题的顺序', en: 'Put the questions in order' },
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
