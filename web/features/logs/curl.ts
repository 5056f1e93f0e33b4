/** The call as a curl command. The log does not store the messages, so they are a placeholder. */
import type { LogView } from '#contract/admin/logs.ts';
import type { LogDetails } from './other.ts';

export function curlOf(
  baseUrl: string,
  row: Pick<LogView, 'model_name' | 'is_stream'>,
  { path, reasoningEffort }: Pick<LogDetails, 'path' | 'reasoningEffort'>,
): string {
  const body: Record<string, unknown> = { model: row.model_name };
  if (path.endsWith('/embeddings')) body['input'] = 'Hello';
  else if (path.endsWith('/images/generations')) body['prompt'] = 'A lighthouse at dawn';
  else if (path.endsWith('/responses')) body['input'] = 'Hello';
  else body['messages'] = [{ role: 'user', content: 'Hello' }];
  if (row.is_stream) body['stream'] = true;
  if (reasoningEffort) body['reasoning_effort'] = reasoningEffort;
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${baseUrl}${path} \\`,
    `  -H "Authorization: Bearer $TOLLGATE_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${json}'`,
  ].join('\n');
}
