// A fake WeChat server: a public account gives codes to users, and callers with its token may read the user of a code.
import { serveLocally, type LocalServer } from './serve.ts';

export interface WeChatServer extends LocalServer {
  token: string;
  /** The account gives a user a code. */
  tell(code: string, wechatId: string): void;
}

export function startWeChat(): WeChatServer {
  const codes = new Map<string, string>();
  const wechat: WeChatServer = Object.assign(
    serveLocally(({ path, query, headers }) => {
      if (path === '/qr.svg') return picture();
      if (path !== '/api/wechat/user') return undefined;
      if (headers.authorization !== wechat.token)
        return Response.json({ success: false, message: '无效的 token' }, { status: 401 });
      return Response.json({ success: true, message: '', data: codes.get(query.code ?? '') ?? '' });
    }),
    {
      token: 'wechat-server-token-of-tests',
      tell: (code: string, wechatId: string) => void codes.set(code, wechatId),
    },
  );
  return wechat;
}

function picture(): Response {
  const marks = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((row) =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8]
      .filter((column) => (row * 7 + column * 5 + row * column) % 3 !== 0)
      .map((column) => `<rect x="${column}" y="${row}" width="1" height="1"/>`),
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 11 11" width="220" height="220">
    <rect x="-1" y="-1" width="11" height="11" fill="#fff"/>${marks.join('')}</svg>`;
  return new Response(svg, { headers: { 'Content-Type': 'image/svg+xml' } });
}
