/** The parameters of a login provider's redirect. */
import {
  REDIRECT_PROVIDERS,
  TELEGRAM_FIELDS,
  type RedirectProvider,
  type TelegramFields,
} from '#contract/admin/outside-logins.ts';

export type Callback =
  | {
      provider: RedirectProvider;
      code: string;
      state: string;
      /** The user or the provider refused. */
      refused: boolean;
      iss?: string;
    }
  | { provider: 'telegram'; fields: TelegramFields; state: string; binds: boolean };

/** Parsed from the raw URL: the router would turn ids into numbers. */
export function readCallback(path: string, search: string): Callback {
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name) ?? '';
  const [, , named, rest] = path.split('/');
  if (named === 'telegram') {
    const fields = TELEGRAM_FIELDS.flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    });
    const binds = rest === 'bind';
    return {
      provider: 'telegram',
      fields: Object.fromEntries(fields) as TelegramFields,
      state: text('state'),
      binds,
    };
  }
  const provider = REDIRECT_PROVIDERS.find((known) => known === named) ?? 'github';
  const refused = query.has('error') || !query.has('code');
  return { provider, code: text('code'), state: text('state'), refused, iss: query.get('iss') ?? undefined };
}
