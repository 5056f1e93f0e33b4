// Sign-in with accounts of other sites, and binding of such accounts.
import type { Handlers, RequestContext } from '#server/admin/context.ts';
import { requireStepUp, type WaysIn } from '#server/admin/accounts.ts';
import { AppError } from '#contract/errors.ts';
import {
  BOUND_MESSAGE,
  type OutsideProvider,
  type outsideLogins,
  type RedirectProvider,
} from '#contract/admin/outside-logins.ts';
import type { LoginAnswer } from '#contract/admin/session.ts';
import type { Settings } from '#contract/settings.ts';
import { accountOf, renameBinding } from './account.ts';
import { bindIdentity } from './bind.ts';
import { isEnabled, nameOf, type OutsideIdentity, type OutsideLoginDependencies } from './dependencies.ts';
import { createExchange } from './exchange.ts';
import { beginFlow, takeFlow, type BegunFlow } from './flow.ts';
import { githubApi, githubAuthorizeUrl, githubIdentity } from './github.ts';
import { linuxdoAuthorizeUrl, linuxdoIdentity } from './linuxdo.ts';
import { createOidc } from './oidc.ts';
import { telegramIdentity } from './telegram.ts';
import { unbind } from './unbind.ts';
import { createWaysIn } from './ways-in.ts';
import { wechatIdentity } from './wechat.ts';

export type { OutsideLoginDependencies } from './dependencies.ts';

export interface OutsideLogins {
  handlers: Handlers<typeof outsideLogins>;
  /** Origins that providers are called at: those of the operator's settings, and those that an OIDC issuer names. */
  origins(): readonly string[];
  /** For nouns that remove a password or a passkey. */
  waysIn: WaysIn;
}

interface Callback {
  code: string;
  state: string;
  iss?: string | undefined;
}

export function createOutsideLogins(dependencies: OutsideLoginDependencies): OutsideLogins {
  const { store, settings, egress, log, signUps, tries } = dependencies;
  const { ask, send } = createExchange(egress, log);
  const oidc = createOidc(send, settings, log);
  const waysIn = createWaysIn(dependencies);

  function requireEnabled(provider: OutsideProvider): void {
    const { current } = settings;
    if (!isEnabled(provider, current))
      throw new AppError('outside_login_disabled', { provider: nameOf(provider, current) });
  }

  async function signIn(identity: OutsideIdentity, context: RequestContext, aff = ''): Promise<LoginAnswer> {
    const { id } = await accountOf(dependencies, identity, aff, context);
    const answer = await signUps.enter(id, context, identity.provider);
    await renameBinding(dependencies, identity);
    return answer;
  }

  async function authorizeUrl(provider: RedirectProvider, flow: BegunFlow): Promise<string> {
    if (provider === 'github') return githubAuthorizeUrl(settings.current, flow);
    if (provider === 'linuxdo') return linuxdoAuthorizeUrl(settings.current, flow);
    return await oidc.authorizeUrl(flow);
  }

  const callback =
    (provider: RedirectProvider) =>
    async ({ query }: { query: Callback }, context: RequestContext) => {
      const { code, state, iss } = query;
      refuseAccessToken(context);
      requireEnabled(provider);
      const flow = await takeFlow(context, provider, state);
      if (code === '')
        throw new AppError('outside_refused', { provider: nameOf(provider, settings.current) });
      const identity = await {
        github: () => githubIdentity(ask, settings.current, code, flow),
        linuxdo: () => linuxdoIdentity(ask, settings.current, code),
        oidc: () => oidc.identity({ code, iss }, flow),
      }[provider]();
      if (flow.userId === 0) return { data: await signIn(identity, context, flow.aff), message: '' as const };
      await bindIdentity(dependencies, identity, context);
      return { data: null, message: BOUND_MESSAGE as typeof BOUND_MESSAGE };
    };

  const wechat = (code: string, context: RequestContext) =>
    wechatIdentity({ ask, store, tries }, settings.current, code, context.address);

  return {
    origins: () => [...providerOrigins(settings.current), ...oidc.origins()],
    waysIn,
    handlers: {
      async state({ query: { aff, provider } }, context) {
        refuseAccessToken(context);
        requireStepUp(context);
        if (provider) requireEnabled(provider);
        const flow = await beginFlow(context, provider, aff ?? '');
        const hasPage = provider !== undefined && provider !== 'telegram';
        return { data: flow.state, authorize_url: hasPage ? await authorizeUrl(provider, flow) : '' };
      },
      github: callback('github'),
      linuxdo: callback('linuxdo'),
      oidc: callback('oidc'),
      async wechatLogin({ query: { code } }, context) {
        requireEnabled('wechat');
        return await signIn(await wechat(code, context), context);
      },
      async wechatBind({ query: { code } }, context) {
        requireEnabled('wechat');
        await bindIdentity(dependencies, await wechat(code, context), context);
        return null;
      },
      async telegramLogin({ query }, context) {
        requireEnabled('telegram');
        return await signIn(await telegramIdentity(store, settings.current, query), context);
      },
      unbind: unbind(dependencies, waysIn),
      async telegramBind({ body: { state, ...fields } }, context) {
        requireEnabled('telegram');
        await takeFlow(context, 'telegram', state);
        await bindIdentity(dependencies, await telegramIdentity(store, settings.current, fields), context);
        return null;
      },
    },
  };
}

/** The state is bound to a browser's session, which an access token does not have. */
function refuseAccessToken({ via }: RequestContext): void {
  if (via === 'access_token') throw new AppError('session_only');
}

function providerOrigins(current: Settings): string[] {
  const { GitHubAddress, LinuxDOAddress, WeChatServerAddress } = current;
  return [GitHubAddress, githubApi(current), LinuxDOAddress, WeChatServerAddress].flatMap((address) =>
    URL.canParse(address) ? [new URL(address).origin] : [],
  );
}
