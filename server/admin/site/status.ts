// The status object: public settings under the names that compatible clients read.
import { inLanguage, type Language } from '#contract/language.ts';
import type { Settings } from '#contract/settings.ts';
import type { StatusView } from '#contract/admin/site.ts';
import { siteLimits } from '#server/admin/site-limits.ts';

export function statusOf(
  settings: Settings,
  language: Language,
  version: string,
  startedAt: number,
): Omit<StatusView, 'enable_online_topup' | 'top_up_prices'> {
  return {
    version,
    start_time: startedAt,
    system_name: settings.SystemName,
    logo: settings.Logo,
    footer_html: inLanguage(language, settings.Footer, settings.FooterEn),
    server_address: settings.ServerAddress,
    quota_per_unit: settings.QuotaPerUnit,
    display_in_currency: settings.DisplayInCurrencyEnabled,
    price: settings.Price,
    min_topup: settings.MinTopUp,
    top_up_link: settings.TopUpLink,
    organizations: settings.OrganizationsEnabled,
    organization_sign_on: settings.OrganizationsEnabled && settings.OrganizationSignOn,
    check_in_enabled: settings.CheckInEnabled,
    // Always false here (usage is written with every call); compatible clients read the field.
    enable_batch_update: false,
    enable_drawing: settings.DrawingEnabled,
    enable_task: settings.TaskEnabled,
    public_docs: settings.PublicDocsEnabled,
    public_models: settings.PublicModelsEnabled,
    public_status: settings.PublicStatusEnabled,
    enable_data_export: settings.DataExportEnabled,
    answer_cache: settings.AnswerCache,
    data_export_default_time: settings.DataExportDefaultTime,
    data_export_interval: settings.DataExportInterval,
    default_collapse_sidebar: settings.DefaultCollapseSidebar,
    limits: siteLimits(settings),
    time_zone: settings.SiteTimeZone,
    mj_notify_enabled: settings.MjNotifyEnabled,
    chats: settings.Chats,
    chat_link: settings.ChatLink,
    chat_link2: settings.ChatLink2,
    register_enabled: settings.RegisterEnabled,
    password_login_enabled: settings.PasswordLoginEnabled,
    password_register_enabled: settings.PasswordRegisterEnabled,
    email_verification: settings.EmailVerificationEnabled,
    turnstile_check: settings.TurnstileCheckEnabled,
    turnstile_site_key: settings.TurnstileSiteKey,
    github_oauth: settings.GitHubOAuthEnabled,
    github_client_id: settings.GitHubClientId,
    linuxdo_oauth: settings.LinuxDOOAuthEnabled,
    linuxdo_client_id: settings.LinuxDOClientId,
    wechat_login: settings.WeChatAuthEnabled,
    wechat_qrcode: settings.WeChatAccountQRCodeImageURL,
    telegram_oauth: settings.TelegramOAuthEnabled,
    telegram_bot_name: settings.TelegramBotName,
    oidc_enabled: settings.OIDCEnabled,
    oidc_name: settings.OIDCName,
    demo_site_enabled: settings.DemoSiteEnabled,
  };
}
