// Decides whether a caller may use an endpoint. Every endpoint declares its access; calls with a cookie or access token also
// need the user-id header.
import { isRoot, REQUIRED_ROLE, ROLE } from '#contract/access.ts';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS } from '#contract/admin/security.ts';
import type { Settings } from '#contract/settings.ts';
import type { Credentials } from './authenticate.ts';

/** The credentials the handler may see; throws when the caller may not use the endpoint. */
export function admit(
  endpoint: AnyEndpoint,
  credentials: Credentials,
  { AdminTwoFactorRequired }: Pick<Settings, 'AdminTwoFactorRequired'>,
): Credentials {
  const noCaller = {
    user: null,
    via: null,
    sessionDigest: null,
    verifiedAt: 0,
    isProtected: false,
    passwordIsInitial: false,
  };
  const anonymous = { ...credentials, ...noCaller };
  if (endpoint.access === 'public') return anonymous;
  if (endpoint.access === 'visitor') return credentials.headerMatches ? credentials : anonymous;
  if (!credentials.user) throw new AppError('not_signed_in');
  if (!credentials.headerMatches) throw new AppError('user_header_mismatch');
  if (credentials.user.role < REQUIRED_ROLE[endpoint.access]) throw new AppError('no_permission');
  // Endpoints of their own account stay open: there the password is changed and two-factor is set up.
  if (credentials.passwordIsInitial && REQUIRED_ROLE[endpoint.access] >= ROLE.admin)
    throw new AppError('initial_password');
  if (AdminTwoFactorRequired && !credentials.isProtected && REQUIRED_ROLE[endpoint.access] >= ROLE.admin)
    throw new AppError('two_factor_required');
  if (endpoint.sessionOnly && credentials.via !== 'session') throw new AppError('session_only');
  if (endpoint.stepUp && credentials.via === 'session' && !isConfirmed(credentials))
    throw new AppError('step_up_required');
  return credentials;
}

function isConfirmed({ verifiedAt }: Credentials): boolean {
  return Date.now() / 1000 - verifiedAt < STEP_UP_SECONDS;
}

/** A demo site refuses changes, except signing in and those of the super admin. */
export function refuseOnDemoSite(endpoint: AnyEndpoint, settings: Settings, credentials: Credentials): void {
  if (!settings.DemoSiteEnabled || endpoint.path.startsWith('/api/user/login')) return;
  if (endpoint.method === 'GET' && !endpoint.acts) return;
  if (!isRoot(credentials.user?.role ?? 0)) throw new AppError('demo_site');
}
