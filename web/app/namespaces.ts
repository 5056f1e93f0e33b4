/** The messages of the features as typed namespaces: a feature adds its line. */
import type { Words } from '#web/i18n/rows.ts';

declare module '#web/i18n/namespaces.ts' {
  interface Namespaces {
    account: Words<typeof import('#web/features/account/messages.ts').default>;
    resellers: Words<typeof import('#web/features/resellers/messages.ts').default>;
    announcements: Words<typeof import('#web/features/announcements/messages.ts').default>;
    audit: Words<typeof import('#web/features/audit/messages.ts').default>;
    channels: Words<typeof import('#web/features/channels/messages.ts').default>;
    chat: Words<typeof import('#web/features/chat/messages.ts').default>;
    dashboard: Words<typeof import('#web/features/dashboard/messages.ts').default>;
    docs: Words<typeof import('#web/features/docs/messages.ts').default>;
    'first-run': Words<typeof import('#web/features/first-run/messages.ts').default>;
    incidents: Words<typeof import('#web/features/incidents/messages.ts').default>;
    jobs: Words<typeof import('#web/features/jobs/messages.ts').default>;
    logs: Words<typeof import('#web/features/logs/messages.ts').default>;
    margins: Words<typeof import('#web/features/margins/messages.ts').default>;
    models: Words<typeof import('#web/features/models/messages.ts').default>;
    cluster: Words<typeof import('#web/features/cluster/messages.ts').default>;
    notices: Words<typeof import('#web/features/notices/messages.ts').default>;
    organizations: Words<typeof import('#web/features/organizations/messages.ts').default>;
    orders: Words<typeof import('#web/features/orders/messages.ts').default>;
    overview: Words<typeof import('#web/features/overview/messages.ts').default>;
    personal: Words<typeof import('#web/features/personal/messages.ts').default>;
    plans: Words<typeof import('#web/features/plans/messages.ts').default>;
    playground: Words<typeof import('#web/features/playground/messages.ts').default>;
    'price-book': Words<typeof import('#web/features/price-book/messages.ts').default>;
    pricing: Words<typeof import('#web/features/pricing/messages.ts').default>;
    redemptions: Words<typeof import('#web/features/redemptions/messages.ts').default>;
    rerating: Words<typeof import('#web/features/rerating/messages.ts').default>;
    settings: Words<typeof import('#web/features/settings/messages.ts').default>;
    site: Words<typeof import('#web/features/site/messages.ts').default>;
    suppliers: Words<typeof import('#web/features/suppliers/messages.ts').default>;
    tasks: Words<typeof import('#web/features/tasks/messages.ts').default>;
    tokens: Words<typeof import('#web/features/tokens/messages.ts').default>;
    tour: Words<typeof import('#web/features/tour/messages.ts').default>;
    users: Words<typeof import('#web/features/users/messages.ts').default>;
    'shadow-calls': Words<typeof import('#web/features/shadow-calls/messages.ts').default>;
    'virtual-models': Words<typeof import('#web/features/virtual-models/messages.ts').default>;
    wallet: Words<typeof import('#web/features/wallet/messages.ts').default>;
  }
}
