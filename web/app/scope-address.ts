/**
 * The organization in the addresses of the console: every link has it, so that a copied one opens there for another member, and
 * pages do not see it.
 */
import { currentScope, SCOPE_PARAMETER } from '#web/api/scope.ts';

/** Pages that are the same for everybody, and those before a sign-in. */
const OUTSIDE =
  /^\/(?:$|(?:login|register|reset|user\/reset|oauth|about|pricing|docs|models|status|invitation)(?:\/|$))/;

const PARAMETER = new RegExp(`(?<=[?&])${SCOPE_PARAMETER}=[^&]*&?`);

export function withoutScope(url: URL): URL {
  if (PARAMETER.test(url.search)) url.search = url.search.replace(PARAMETER, '').replace(/[?&]$/, '');
  return url;
}

export function withScope(url: URL): URL {
  const scope = currentScope();
  if (scope !== undefined && !OUTSIDE.test(url.pathname) && !PARAMETER.test(url.search))
    url.search += `${url.search === '' ? '?' : '&'}${SCOPE_PARAMETER}=${scope.id}`;
  return url;
}

/** For the router: between the address bar and its own addresses. */
export const scopeRewrite = {
  input: ({ url }: { url: URL }) => withoutScope(url),
  output: ({ url }: { url: URL }) => withScope(url),
};
