// A video in the answers of Kling's own API.
import { answerHeaders } from '#server/relay/caller/response.ts';
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import { json } from '#server/relay/entry/handler.ts';
import { errorMessage } from '#server/relay/errors/relay-error.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { factsOf } from './facts.ts';
import type { Answers } from './submit.ts';
import { videoId } from './view.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';

const STATUSES: Readonly<Record<string, string>> = {
  IN_PROGRESS: 'processing',
  SUCCESS: 'succeed',
  FAILURE: 'failed',
};

/** `url`: where the caller reads the finished video; empty before. */
export function klingVideo(url: string, task: Task) {
  const video = { id: videoId(task), url, duration: String(factsOf(task).seconds) };
  return {
    code: 0,
    message: 'SUCCEED',
    request_id: task.hold_id,
    data: {
      task_id: videoId(task),
      task_status: STATUSES[task.status] ?? 'submitted',
      task_status_msg: failWords(task.fail_reason),
      created_at: task.submit_ms,
      updated_at: Math.max(task.submit_ms, task.start_ms, task.finish_ms),
      task_result: { videos: url === '' ? [] : [video] },
    },
  };
}

export const klingAnswers: Answers = {
  created: (incoming, task) => json(incoming, klingVideo('', task)),
  refused({ request, requestId }, error) {
    const headers = answerHeaders(request, requestId, 'application/json');
    const message = errorMessage(error, callerLanguage(request), requestId);
    const body = JSON.stringify({ code: error.status, message, request_id: requestId, data: null });
    return new Response(body, { status: error.status, headers });
  },
};
