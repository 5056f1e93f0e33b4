/** Sends the requests of the media tabs with the chosen token, and asks how a task goes. */
import type { TaskPart } from '#contract/relay/tasks.ts';
import { api } from '#web/api.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { failureSentence, picturesIn, studioRequest, type Sent, type StudioDraft } from './studio-request.ts';

export class StudioFailure extends Error {
  override readonly name = 'StudioFailure';
}

async function call(key: string, path: string, body?: Sent['body']): Promise<Response> {
  const isForm = body instanceof FormData;
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer sk-${key}`,
      'Accept-Language': currentLanguage(),
      ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    credentials: 'omit',
  });
  if (!response.ok) throw new StudioFailure(failureSentence(await response.text(), response.status));
  return response;
}

export interface Submitted {
  /** Finds the charge in the log. */
  requestId: string;
  /** Of a task; blank for pictures, which are in the answer. */
  taskId: string;
  pictures: string[];
}

export async function submit(key: string, draft: StudioDraft): Promise<Submitted> {
  const { path, body } = studioRequest(draft);
  const response = await call(key, path, body);
  const requestId = response.headers.get('x-request-id') ?? '';
  const answer = (await response.json()) as { id?: unknown; data?: unknown };
  if (draft.kind === 'image') return { requestId, taskId: '', pictures: picturesIn(answer.data) };
  const id = draft.kind === 'video' ? answer.id : answer.data;
  if (typeof id !== 'string' || id === '') throw new StudioFailure(failureSentence('', response.status));
  return { requestId, taskId: id, pictures: [] };
}

/** How a task goes. */
export interface Report {
  status: 'running' | 'done' | 'failed';
  progress: number;
  parts: readonly TaskPart[];
  reason: string;
}

const percent = (text: string): number => Math.min(100, Number.parseInt(text, 10) || 0);

/** Songs and videos alike, as the page of tasks shows them. */
export async function taskReport(id: string): Promise<Report> {
  const { data } = await api.tasks.listSelf({ query: { task_id: id, page_size: 1 } });
  const [row] = data;
  if (!row) return { status: 'running', progress: 0, parts: [], reason: '' };
  const status = row.status === 'SUCCESS' ? 'done' : row.status === 'FAILURE' ? 'failed' : 'running';
  return { status, progress: percent(row.progress), parts: row.parts, reason: row.fail_reason };
}
