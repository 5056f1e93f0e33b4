// Announcements: texts of the operator that are shown for a time, to everybody or to signed-in users.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { inLanguage, type Language } from '#contract/language.ts';
import type { CustomProblem } from '#contract/problem-words.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const ANNOUNCEMENT_LEVELS = ['info', 'success', 'warning', 'error'] as const;
export type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number];
export const ANNOUNCEMENT_AUDIENCES = ['everybody', 'users'] as const;
/** More are not shown; the oldest are left out. */
export const MOST_ANNOUNCEMENTS = 50;

const LATEST_TIME = 4_102_444_800;
const time = z.number().int().min(0).max(LATEST_TIME).default(0);

const announcement = z.object({
  id: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  title: z.string(),
  /** The English version, as `content_en`; empty: there is only the other. */
  title_en: z.string(),
  /** Markdown. */
  content: z.string(),
  content_en: z.string(),
  level: z.enum(ANNOUNCEMENT_LEVELS),
  audience: z.enum(ANNOUNCEMENT_AUDIENCES),
  /** Unix seconds; 0: at once. */
  from_at: z.number(),
  /** Unix seconds; 0: for ever. */
  until_at: z.number(),
  is_pinned: z.boolean(),
});
export type Announcement = z.output<typeof announcement>;

/** What a reader of this language sees. */
export const announcementIn = (
  language: Language,
  { title, title_en, content, content_en }: Announcement,
): Pick<Announcement, 'title' | 'content'> => ({
  title: inLanguage(language, title, title_en),
  content: inLanguage(language, content, content_en),
});

const titleText = z.string().trim().max(100);
const contentText = z.string().trim().max(20_000);

export const announcementFields = z.object({
  title: titleText.default(''),
  title_en: titleText.default(''),
  content: contentText.min(1),
  content_en: contentText.default(''),
  level: z.enum(ANNOUNCEMENT_LEVELS).default('info'),
  audience: z.enum(ANNOUNCEMENT_AUDIENCES).default('everybody'),
  from_at: time,
  until_at: time,
  is_pinned: z.boolean().default(false),
});
export type AnnouncementBody = z.output<typeof announcementFields>;

/** A client that knows no English version leaves it as it is. */
const changedFields = announcementFields.extend({
  title_en: titleText.optional(),
  content_en: contentText.optional(),
  based_on: basedOn,
});

export const endsAfterStart = ({ from_at, until_at }: Pick<AnnouncementBody, 'from_at' | 'until_at'>) =>
  until_at === 0 || until_at > from_at;
const AFTER_START = { path: ['until_at'], message: 'after_start' satisfies CustomProblem };

export const announcements = {
  /** Those whose time it is, pinned ones first, then the newest; a visitor gets only those for everybody. */
  list: endpoint({
    method: 'GET',
    path: '/api/announcements',
    access: 'visitor',
    summary: { zh: '当前公告', en: 'Announcements that are shown now' },
    returns: z.array(announcement),
  }),
  all: endpoint({
    method: 'GET',
    path: '/api/announcements/all',
    access: 'root',
    summary: { zh: '全部公告', en: 'All announcements, including planned and past ones' },
    returns: z.array(announcement),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/announcements',
    access: 'root',
    summary: { zh: '发布公告', en: 'Write an announcement' },
    body: announcementFields.refine(endsAfterStart, AFTER_START),
    returns: announcement,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/announcements/{id}',
    access: 'root',
    summary: { zh: '修改公告', en: 'Change an announcement' },
    params: idParams,
    body: changedFields.refine(endsAfterStart, AFTER_START),
    returns: announcement,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/announcements/{id}',
    access: 'root',
    summary: { zh: '删除公告', en: 'Delete an announcement' },
    params: idParams,
    returns: z.null(),
  }),
};
