// Conversations of the playground that their owner wants to keep on the server, and links that show one to others.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

export const MOST_CHATS = 100;
export const MOST_SHARES = 50;
/** Characters of one conversation. Its attachments stay in the browser. */
export const MOST_CHAT_CHARACTERS = 400_000;
export const SHARED_PATH = '/shared/';

const chatId = z.object({ id: z.uuid() });

const chatHead = z.object({
  id: z.string(),
  title: z.string(),
  turns: z.number(),
  /** Milliseconds, by the browser that saved it. */
  updated_at: z.number(),
  /** Counts the saves: the next one names it. */
  revision: z.number(),
});
export type ChatHead = z.output<typeof chatHead>;

const sharedAnswer = z.object({
  model: z.string().max(200),
  content: z.string().max(200_000),
  tools: z
    .array(
      z.object({
        name: z.string().max(200),
        arguments: z.string().max(100_000),
        /** Absent: nobody answered it. */
        result: z.string().max(100_000).optional(),
      }),
    )
    .max(100),
});

/** What a link shows: questions, names of attachments and answers. No key, user, price or system prompt has a place in it. */
export const sharedChat = z.object({
  title: z.string().trim().max(200),
  turns: z
    .array(
      z.object({
        text: z.string().max(100_000),
        attachments: z.array(z.string().max(200)).max(50),
        answers: z.array(sharedAnswer).max(4),
      }),
    )
    .min(1)
    .max(200),
});
export type SharedChat = z.output<typeof sharedChat>;

const shareView = z.object({
  id: z.number(),
  /** The conversation it was made from. */
  chat_id: z.string(),
  title: z.string(),
  created_at: z.number(),
  /** The path of the page, with the secret that opens it. */
  path: z.string(),
});
export type ShareView = z.output<typeof shareView>;

export const chats = {
  list: endpoint({
    method: 'GET',
    path: '/api/playground/chats',
    access: 'user',
    summary: { zh: '保存在服务器上的对话', en: 'Conversations kept on the server' },
    returns: z.array(chatHead),
    secret: true,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/playground/chats/{id}',
    access: 'user',
    summary: { zh: '读取保存的对话', en: 'Read a kept conversation' },
    params: chatId,
    returns: z.object({ revision: z.number(), content: z.string() }),
    secret: true,
  }),
  save: endpoint({
    method: 'PUT',
    path: '/api/playground/chats/{id}',
    access: 'user',
    summary: { zh: '保存对话', en: 'Keep a conversation on the server' },
    params: chatId,
    body: z.object({
      /** The one it was read or saved with; 0 for one that is not there yet. */
      revision: z.number().int().min(0),
      title: z.string().trim().max(200),
      turns: z.number().int().min(0).max(10_000),
      updated_at: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
      /** JSON of the console; the server does not read it. */
      content: z.string().min(2).max(MOST_CHAT_CHARACTERS),
    }),
    returns: z.object({ revision: z.number() }),
    secret: true,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/playground/chats/{id}',
    access: 'user',
    summary: { zh: '从服务器删除对话', en: 'Remove a conversation from the server' },
    params: chatId,
    returns: z.null(),
  }),
  shares: endpoint({
    method: 'GET',
    path: '/api/playground/shares',
    access: 'user',
    summary: { zh: '对话的分享链接', en: 'Links to shared conversations' },
    returns: z.array(shareView),
    sessionOnly: true,
    secret: true,
  }),
  share: endpoint({
    method: 'POST',
    path: '/api/playground/shares',
    access: 'user',
    summary: { zh: '分享对话', en: 'Share a conversation by link' },
    body: z.object({ chat_id: z.uuid(), chat: sharedChat }),
    returns: shareView,
    secret: true,
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api/playground/shares/{id}',
    access: 'user',
    summary: { zh: '撤销分享链接', en: 'Revoke a link' },
    params: z.object({ id: z.coerce.number().int().positive() }),
    returns: z.null(),
  }),
};
