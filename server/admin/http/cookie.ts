// The session cookie: `__Host-sid` on https, where the prefix makes browsers refuse a cookie set by a sibling domain; `sid`
// on http, where the prefix is not allowed.

const NAMES = { secure: '__Host-sid', plain: 'sid' } as const;
const ID_SHAPE = /^[\w-]{43}$/;

export const sessionCookieName = (secure: boolean): string => (secure ? NAMES.secure : NAMES.plain);

export function sessionIdOf(header: string | null, secure: boolean): string | null {
  if (!header) return null;
  const name = sessionCookieName(secure);
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals === -1 || part.slice(0, equals).trim() !== name) continue;
    const value = part.slice(equals + 1).trim();
    // Only ids of the form this server makes; the first one counts.
    return ID_SHAPE.test(value) ? value : null;
  }
  return null;
}

export function sessionCookie(id: string, secure: boolean, maxAgeSeconds: number): string {
  const name = sessionCookieName(secure);
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (secure) attributes.push('Secure');
  return [`${name}=${id}`, ...attributes].join('; ');
}

export function clearedCookie(secure: boolean): string {
  return sessionCookie('', secure, 0);
}
