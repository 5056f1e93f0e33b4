// Public facts of this installation: the status object and the operator's content.
import { z } from 'zod';
import { ANSWER_CACHE_MODES } from '#contract/relay/answer-cache-settings.ts';
import { endpoint } from '#contract/endpoint.ts';
import { jobSummary } from '#contract/operating/jobs.ts';
import { chatLinks } from '#contract/setting-shapes.ts';

export const statusView = z.object({
  version: z.string(),
  start_time: z.number(),
  system_name: z.string(),
  logo: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  price: z.number(),
  min_topup: z.number(),
  top_up_link: z.string(),
  enable_online_topup: z.boolean(),
  /** What a dollar of quota costs online, by currency; empty while nothing can be paid online. */
  top_up_prices: z.array(z.object({ currency: z.string(), price: z.number() })),
  /** People can share an organization; `organizations.mine` says which ones the caller has. */
  organizations: z.boolean(),
  /** Organizations may sign in the people of their own mail domains. */
  organization_sign_on: z.boolean(),
  /** The daily check-in is on. */
  check_in_enabled: z.boolean(),
  enable_batch_update: z.boolean(),
  enable_drawing: z.boolean(),
  enable_task: z.boolean(),
  /** Visitors may open /docs. */
  public_docs: z.boolean(),
  /** The pages /models and /status are there. */
  public_models: z.boolean(),
  public_status: z.boolean(),
  enable_data_export: z.boolean(),
  /** Whether answers are kept for equal requests. */
  answer_cache: z.enum(ANSWER_CACHE_MODES),
  data_export_default_time: z.enum(['hour', 'day', 'week']),
  /** Minutes after which an open dashboard reads its figures again. */
  data_export_interval: z.number(),
  default_collapse_sidebar: z.boolean(),
  /** Of calls; 0 is no limit. `limit-words.ts` says them. */
  limits: z.object({
    body_megabytes: z.number(),
    file_megabytes: z.number(),
    files: z.number(),
    calls_per_address: z.number(),
    first_byte_seconds: z.number(),
    idle_seconds: z.number(),
    total_seconds: z.number(),
    api_calls_per_three_minutes: z.number(),
  }),
  /** In which the days of the site begin. */
  time_zone: z.string(),
  mj_notify_enabled: z.boolean(),
  chats: chatLinks,
  chat_link: z.string(),
  chat_link2: z.string(),
  register_enabled: z.boolean(),
  password_login_enabled: z.boolean(),
  password_register_enabled: z.boolean(),
  email_verification: z.boolean(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  linuxdo_oauth: z.boolean(),
  linuxdo_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  telegram_oauth: z.boolean(),
  telegram_bot_name: z.string(),
  oidc_enabled: z.boolean(),
  oidc_name: z.string(),
  demo_site_enabled: z.boolean(),
  /** Accounts that a visitor may use; only where `npm run demo` runs. */
  demo_accounts: z
    .array(z.object({ username: z.string(), password: z.string(), role: z.number() }))
    .optional(),
  /** Only for the super admin. */
  jobs: jobSummary.optional(),
});
export type StatusView = z.output<typeof statusView>;
export type DemoAccount = NonNullable<StatusView['demo_accounts']>[number];

const content = (path: string, zh: string, en: string) =>
  endpoint({ method: 'GET', path, access: 'public', summary: { zh, en }, returns: z.string() });

export const site = {
  status: endpoint({
    method: 'GET',
    path: '/api/status',
    access: 'visitor',
    summary: { zh: '站点状态', en: 'Status of the installation' },
    returns: statusView,
  }),
  /** The caller's address as the server sees it; the token form offers it for the allow list. */
  address: endpoint({
    method: 'GET',
    path: '/api/address',
    access: 'user',
    summary: { zh: '调用方地址', en: 'The address you call from' },
    returns: z.object({ address: z.string() }),
  }),
  notice: content('/api/notice', '公告', 'Notice'),
  about: content('/api/about', '关于', 'About'),
  home: content('/api/home_page_content', '首页内容', 'Home page content'),
};
