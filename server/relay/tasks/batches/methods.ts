// The ids in the paths of files and batches.
import { pathOf } from '#server/relay/entry/handler.ts';

/** The id in `/v1/batches/{id}` and below it. */
export function idIn(request: Request, base: string): string {
  const [id = ''] = pathOf(request)
    .slice(base.length + 1)
    .split('/');
  return isId(id) ? id : '';
}

/** PostgreSQL cannot compare with every text, such as one with a NUL. */
export const isId = (text: string): boolean => /^[\w-]{1,200}$/.test(text);
