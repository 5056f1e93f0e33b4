// Telegram's login widget: fields signed with the bot's token, and the widget's script and frame for a browser without
// telegram.org. Like the real script it shows a button in a frame and redirects to `data-auth-url` with the fields in the
// query.
import { createHash, createHmac } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { unixSeconds } from '#contract/time.ts';

export interface TelegramUser {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
}

export const BOT_TOKEN = '7000000001:AAF-telegram-bot-token-of-tests';
export const BOT_NAME = 'tollgate_bot';

/** The fields as the widget sends them. */
export function signedFields(
  user: TelegramUser,
  { token = BOT_TOKEN, authDate = unixSeconds() } = {},
): Record<string, string> {
  const fields: Record<string, string> = { auth_date: String(authDate) };
  for (const [name, value] of Object.entries(user)) fields[name] = String(value);
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
  const key = createHash('sha256').update(token).digest();
  return { ...fields, hash: createHmac('sha256', key).update(text).digest('hex') };
}

const WIDGET = `(() => {
  const script = document.currentScript;
  const bot = script.getAttribute('data-telegram-login');
  const frame = document.createElement('iframe');
  frame.id = 'telegram-login-' + bot;
  frame.title = 'Telegram';
  frame.width = 238; frame.height = 40; frame.style.border = 'none';
  frame.src = 'https://oauth.telegram.org/embed/' + bot + '?origin=' + encodeURIComponent(location.origin)
    + '&size=' + script.getAttribute('data-size') + '&lang=' + (script.getAttribute('data-lang') || '');
  script.parentNode.insertBefore(frame, script);
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== 'https://oauth.telegram.org') return;
    const data = JSON.parse(event.data);
    if (data.event !== 'auth_user') return;
    const target = new URL(script.getAttribute('data-auth-url'), location.href);
    for (const [name, value] of Object.entries(data.auth_data)) target.searchParams.set(name, value);
    location.href = target.href;
  });
})();`;

/** Serves telegram.org to a browser: a click on the button signs that user in. */
export async function playTelegram(context: BrowserContext, user: () => TelegramUser): Promise<void> {
  await context.route('https://telegram.org/js/telegram-widget.js*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
  );
  await context.route('https://oauth.telegram.org/embed/**', (route) => {
    const data = JSON.stringify(JSON.stringify({ event: 'auth_user', auth_data: signedFields(user()) }));
    return route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Telegram</title><button>Log in with Telegram</button>
        <script>document.querySelector('button').onclick = () => parent.postMessage(${data}, '*')</script>`,
    });
  });
}
