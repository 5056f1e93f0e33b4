// What needs somebody of an organization, as attention-kinds.ts lists it.
export const ORGANIZATION_KINDS = {
  /** A hard one refuses calls. */
  budget_over: {
    access: 'organization',
    severities: ['wait', 'stop'],
    check: 'organization',
    action: 'open_budgets',
    menu: '/budgets',
    notice: 'organization_budget',
  },
  /** At the pace of its window it will be used up before that ends. */
  budget_forecast: {
    access: 'organization',
    severities: ['wait'],
    check: 'organization',
    action: 'open_budgets',
    menu: '/budgets',
  },
  budget_requested: {
    access: 'organization',
    severities: ['act'],
    check: 'organization',
    action: 'decide',
    menu: '/budgets',
    notice: 'budget_asked',
  },
  /** Not answered, or ended without an answer. */
  invitation_waits: {
    access: 'organization',
    severities: ['wait'],
    check: 'organization',
    action: 'open_members',
    menu: '/members',
  },
  /** Money out of the organization that the reader may accept. */
  move_waits: {
    access: 'organization',
    severities: ['wait'],
    check: 'organization',
    action: 'decide',
    menu: '/topup',
  },
} as const;
