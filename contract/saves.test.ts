// Every endpoint that changes something either takes a base (contract/based-on.ts) or is listed here with the reason why two
// people at once lose nothing by it. A new endpoint without either fails.
import { expect, test } from 'bun:test';
import { z } from 'zod';
import { api } from './api.ts';
import type { Api } from './endpoint.ts';

/** Why a call needs no base. */
const REASONS = {
  creates: 'makes a new object and changes none that another person could edit',
  deletes: 'the object is gone whatever it was; a deletion of what is gone changes nothing',
  switches: 'sets one state that its button names, which does not depend on another state',
  moves:
    'moves money once: by an idempotency key, or by a conditional update of the state that the call names',
  revises: 'carries the revision or the sum that the client saw, and is refused when it is another one now',
  adds: 'adds to what is there and takes nothing away',
  restores: 'puts back a value that the history names; the one that it replaces goes into the history',
  arranges: 'changes the order alone; what another person wrote or added stays',
  proves: 'a sign-in, a credential or a proof of the caller, who must show the old one',
  names: 'one name of the caller, typed whole by the caller',
  asks: 'changes no object that a person edits: it computes, tests, sends or runs',
} as const;

const WITHOUT_BASE: Readonly<Record<keyof typeof REASONS, readonly string[]>> = {
  creates: [
    'session.register',
    'userManagement.create',
    'tokens.create',
    'adminKeys.create',
    'adminKeys.createForSite',
    'organizationSignOn.addDomain',
    'organizationSignOn.createGroup',
    'organizationSignOn.createToken',
    'redemptions.create',
    'channels.create',
    'channels.copy',
    'channelCosts.createSupplier',
    'virtualModels.create',
    'shadowCalls.create',
    'priceBook.importList',
    'priceBook.importAddress',
    'suppliers.importBill',
    'plans.create',
    'rerating.create',
    'notices.createWay',
    'operatorNotices.createWay',
    'announcements.create',
    'incidents.create',
    'incidents.addLine',
    'faq.create',
    'chats.share',
    'organizations.create',
    'invitations.create',
    'projects.create',
    'serviceAccounts.create',
    'budgets.create',
    'budgets.ask',
  ],
  deletes: [
    'outsideLogins.unbind',
    'security.passkeyRemove',
    'security.endSession',
    'security.endOtherSessions',
    'self.remove',
    'tokens.remove',
    'adminKeys.remove',
    'redemptions.remove',
    'logs.cleanup',
    'channels.remove',
    'channels.removeMany',
    'channels.removeDisabled',
    'channelCosts.removeSupplier',
    'virtualModels.remove',
    'shadowCalls.remove',
    'shadowCalls.removeSamples',
    'suppliers.removeBill',
    'plans.remove',
    'rerating.discard',
    'notices.removeWay',
    'operatorNotices.removeWay',
    'announcements.remove',
    'incidents.removeLine',
    'incidents.remove',
    'faq.remove',
    'chats.remove',
    'chats.revoke',
    'organizations.remove',
    'organizations.withdrawOwnership',
    'members.remove',
    'members.leave',
    'invitations.revoke',
    'serviceAccounts.remove',
    'budgets.remove',
    'organizationSignOn.removeProvider',
    'organizationSignOn.removeDomain',
    'organizationSignOn.removeGroup',
    'organizationSignOn.revokeToken',
  ],
  switches: [
    'shadowCalls.saveConsent',
    'userManagement.manage',
    'userManagement.resetTwoFactor',
    'userManagement.lift',
    'cluster.drain',
    'cluster.resume',
    'tokens.batch',
    'tokens.restore',
    'tokens.disable',
    'tokens.report',
    'redemptions.batch',
    'channels.restore',
    'channels.setStatus',
    'channels.enableTag',
    'channels.disableTag',
    'suppliers.trust',
    'plans.preference',
    'plans.autoRenew',
    'priceBook.decide',
    'attention.snooze',
    'organizations.offerOwnership',
    'members.changeRole',
    'invitations.resend',
    'invitations.accept',
    'invitations.decline',
    'projects.archive',
    'organizationManagement.suspend',
    'organizationManagement.lift',
    'organizationManagement.setGroup',
    'organizationManagement.addOwner',
    'organizationSignOn.verifyDomain',
  ],
  moves: [
    'organizationManagement.adjustBalance',
    'budgets.grant',
    'budgets.decline',
    'moves.into',
    'moves.out',
    'moves.accept',
    'moves.decline',
    'self.transferInvite',
    'redemptions.redeem',
    'checkIn.claim',
    'orders.pay',
    'orders.complete',
    'orders.refund',
    'orders.endRefund',
    'agents.transfer',
    'agents.withdraw',
    'agents.decide',
    'plans.buy',
    'plans.order',
    'plans.grant',
    'plans.end',
    'rerating.undo',
  ],
  revises: [
    'chats.save',
    'priceBook.rollBack',
    'priceBook.changeDraft',
    'priceBook.schedule',
    'priceBook.publish',
    'priceBook.withdraw',
    'rerating.apply',
  ],
  adds: ['options.allowAddresses'],
  restores: ['options.reset', 'options.resetRatios', 'options.rollback'],
  arranges: ['faq.order'],
  proves: [
    'session.login',
    'signIn.loginSecondStep',
    'signOn.begin',
    'signOn.finish',
    'signIn.passkeyLoginBegin',
    'signIn.passkeyLoginFinish',
    'emails.reset',
    'emails.bindEmail',
    'outsideLogins.state',
    'outsideLogins.github',
    'outsideLogins.linuxdo',
    'outsideLogins.oidc',
    'outsideLogins.wechatLogin',
    'outsideLogins.wechatBind',
    'outsideLogins.telegramLogin',
    'outsideLogins.telegramBind',
    'security.confirm',
    'security.confirmPasskeyBegin',
    'security.confirmPasskeyFinish',
    'security.twoFactorSetup',
    'security.twoFactorEnable',
    'security.twoFactorDisable',
    'security.recoveryCodes',
    'security.passkeyRegisterBegin',
    'security.passkeyRegisterFinish',
    'self.accessToken',
  ],
  names: ['security.passkeyRename', 'users.changeSelf'],
  asks: [
    'invitations.readByToken',
    'emails.verification',
    'emails.resetMail',
    'mail.test',
    'mail.retry',
    'jobs.run',
    'virtualModels.simulate',
    'answerCache.purge',
    'answerCache.purgeSelf',
    'shadowCalls.texts',
    'tokens.find',
    'channels.fix',
    'channels.revealKey',
    'channels.impact',
    'channelUpstream.stopTests',
    'channelUpstream.testDraft',
    'channelUpstream.fetchDraftModels',
    'orders.amount',
    'notices.testWay',
    'operatorNotices.testWay',
  ],
};

/** Of a sheet, each of its changed rows. */
const takesBase = (body: z.ZodType): boolean => {
  if (body instanceof z.ZodDefault) return takesBase(body.unwrap() as z.ZodType);
  if (body instanceof z.ZodArray) return takesBase(body.element as z.ZodType);
  if (!(body instanceof z.ZodObject)) return false;
  const shape = body.shape as Record<string, z.ZodType>;
  return Object.hasOwn(shape, 'based_on') || (shape['change'] !== undefined && takesBase(shape['change']));
};

function changingEndpoints(groups: Api): { name: string; hasBase: boolean }[] {
  return Object.entries(groups).flatMap(([noun, group]) =>
    Object.entries(group)
      .filter(([, { method, acts }]) => method !== 'GET' || acts === true)
      .map(([verb, { body }]) => ({ name: `${noun}.${verb}`, hasBase: takesBase(body) })),
  );
}

test('a call that saves an existing object names what it was based on, or says why it needs no base (O42)', () => {
  const changing = changingEndpoints(api);
  const explained = Object.values(WITHOUT_BASE).flat();
  expect(explained.length).toBe(new Set(explained).size);
  const withoutBase = changing.filter(({ hasBase }) => !hasBase).map(({ name }) => name);
  expect(explained.toSorted()).toEqual(withoutBase.toSorted());
});

test('a PUT takes a base, a revision, or sets one state or one name (O42)', () => {
  const puts = Object.entries(api as Api).flatMap(([noun, group]) =>
    Object.entries(group)
      .filter(([, { method, body }]) => method === 'PUT' && !takesBase(body))
      .map(([verb]) => `${noun}.${verb}`),
  );
  const { switches, names, revises } = WITHOUT_BASE;
  expect(puts.filter((name) => ![...switches, ...names, ...revises].includes(name))).toEqual([]);
});
