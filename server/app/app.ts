// The only place that constructs and joins the parts: store → settings → ledger → admin → relay → public port. It holds the
// order of start and stop, and no business rules.
import { fileURLToPath } from 'node:url';
import { api } from '#contract/api.ts';
import type { DemoAccount } from '#contract/admin/site.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { ensureFirstUser, type FirstStart } from '#server/app/first-start.ts';
import { nodeName } from '#server/platform/node-name.ts';
import { VERSION } from '#server/platform/version.ts';
import { configurationDrift } from '#server/operating/configuration/index.ts';
import { createAuditHandlers } from '#server/admin/audit/index.ts';
import { createChannelHandlers, createChannelUpstream } from '#server/admin/channels/index.ts';
import { createClusterHandlers } from '#server/admin/cluster/index.ts';
import { createDashboardHandlers } from '#server/admin/dashboard/index.ts';
import { createDrawingHandlers, createTaskHandlers } from '#server/admin/tasks/index.ts';
import { createLogHandlers } from '#server/admin/logs/index.ts';
import { createSettingsHandlers } from '#server/admin/settings/index.ts';
import { createTokenHandlers } from '#server/admin/tokens/index.ts';
import { anchorTrail } from '#server/admin/http/audit.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { createClientAddresses } from '#server/admin/http/client-address.ts';
import { createConsoleFiles } from '#server/admin/http/console.ts';
import { createHealth } from '#server/admin/http/health.ts';
import { createLimiter, limitsOf, type LimitTable } from '#server/admin/http/limits.ts';
import { createListener, type Listener } from '#server/admin/http/listen.ts';
import { createLog, type RootLog } from '#server/platform/log.ts';
import { organizationRoutes } from '#server/admin/http/organization.ts';
import { isForBrowser } from '#server/admin/http/page-requests.ts';
import { playgroundUser } from '#server/admin/http/playground.ts';
import { createWebApplication } from '#server/admin/http/server.ts';
import { MAIL_JOB } from '#server/app/jobs/index.ts';
import { Gate, usualRules, watchOverload, type GateRules } from '#server/platform/overload/index.ts';
import { refusalSentence } from '#server/relay/errors/relay-error.ts';
import { createRelay, type CallerSeconds } from '#server/relay/index.ts';
import { logExportOrigins } from '#server/operating/log-export/index.ts';
import { priceListDigest } from '#server/money/prices/price-list/index.ts';
import { openSettings, type LiveSettings } from '#server/platform/settings/settings.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { createTasks, drawingFacts, endedTasks, taskFacts } from '#server/relay/tasks/index.ts';
import { joinAccess } from './access.ts';
import { joinAccounts } from './accounts.ts';
import { auditedKeyRenewal, channelDependencies } from './channels.ts';
import { joinEgress } from './egress.ts';
import { ledgerFollowsSettings, openLedgerOf } from './ledger.ts';
import { joinSupplierAudit } from './supplier-audit.ts';
import { joinJobs } from './job-parts.ts';
import { joinNode } from './node.ts';
import { joinNotices } from './notices.ts';
import { joinOrganizationApi } from './organizations.ts';
import { joinPrices } from './prices.ts';
import { joinPublicPages } from './public-pages.ts';
import { hideSecretsOfEnvironment, hideSecretsOfSettings } from './secrets.ts';
import { joinSite, ownOrigins } from './site.ts';
import { joinTelemetry } from './telemetry.ts';
import { joinWallet } from './wallet.ts';
import type { Environment } from '#server/platform/env.ts';
import { WRITER_ENTRY } from './writer-entry.ts';

export interface ApplicationOptions {
  log?: RootLog;
  /** Tests loosen or tighten the per-address limits; they take precedence over the settings. */
  limits?: Partial<LimitTable>;
  consoleDirectory?: string;
  /** Tests lower the overload limits. */
  overload?: Partial<GateRules>;
  /** Tests shorten the time limits for callers. */
  callerSeconds?: Partial<CallerSeconds>;
  /** One line per step of the start. */
  onStep?: (step: string) => void;
  /** Tests answer text records of domains themselves. */
  nameServers?: readonly string[];
  /** Several processes share the port. */
  sharedPort?: boolean;
  /** Identifies this node in the database; must be the same after a restart. */
  nodeId?: string;
  /** Shown on the sign-in page; only `demo/` passes them. */
  demoAccounts?: readonly DemoAccount[];
}

export interface Application {
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  log: RootLog;
  /** Set when this start created the super admin. */
  firstStart: FirstStart | null;
  /** Resolves when another process has begun to run under the name of this node. */
  superseded: Promise<void>;
  fetch(request: Request, connection?: string | null): Promise<Response>;
  listen(): Listener;
  /** Stops accepting, waits for running calls, settles them, and closes the database. */
  close(): Promise<void>;
}

const CONSOLE_DIRECTORY = fileURLToPath(new URL('../../dist', import.meta.url));

export async function createApplication(
  environment: Environment,
  options: ApplicationOptions = {},
): Promise<Application> {
  const log = options.log ?? createLog({ level: environment.logLevel });
  const step = options.onStep ?? (() => {});
  hideSecretsOfEnvironment(environment, log);

  step(environment.databaseUrl ? 'opening PostgreSQL' : `opening SQLite in ${environment.dataDir}`);
  const store = await openStore({
    dataDir: environment.dataDir,
    databaseUrl: environment.databaseUrl,
    masterKey: environment.masterKey,
    writerEntry: WRITER_ENTRY,
    onFault: (error, what) => log.error('store fault', { what, error }),
  });
  try {
    await anchorTrail(store);
    const settings = await openSettings(store, log, {
      defaults: environment.port === 0 ? {} : { ServerAddress: `http://localhost:${environment.port}` },
      priceList: priceListDigest(),
    });
    hideSecretsOfSettings(settings, log);
    step('checking the ledger');
    const nodeId = options.nodeId ?? nodeName(environment);
    const { promise: superseded, resolve: onSuperseded } = Promise.withResolvers<void>();
    const ledger = await openLedgerOf({ ...environment, store, settings, log, nodeId, onSuperseded });
    return await join(environment, options, { store, settings, ledger, log, nodeId, superseded });
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Base = Pick<Application, 'store' | 'settings' | 'ledger' | 'log' | 'superseded'> & { nodeId: string };

async function join(environment: Environment, options: ApplicationOptions, base: Base): Promise<Application> {
  const { store, settings, ledger, log, nodeId } = base;
  const { dataDir } = environment;
  const firstStart = await ensureFirstUser(environment, store, ledger);
  const stopFollowing = await ledgerFollowsSettings(base);
  const systemOrigins = () => [
    ...accounts.origins(),
    ...wallet.origins(),
    ...logExportOrigins(settings.current),
    ...ownOrigins(settings),
  ];
  const { nameServers } = options;
  const egress = joinEgress({ environment, settings, systemOrigins, nameServers });
  const wallet = joinWallet({ ...base, egress });
  const addresses = createClientAddresses(environment.trustedProxies);
  const access = joinAccess(base);
  const gate = new Gate({ ...usualRules(), ...options.overload });
  const renewKey = auditedKeyRenewal(store);
  const channels = () => relay.core.catalog.current.all();
  const siblingCount = options.sharedPort === true ? environment.workers - 1 : 0;
  const attentionCounts = () => node.attention.counts();
  const upstreamLimits = () => relay.allLimits();
  const answerCache = () => relay.core.answers.state;
  const readings = { channels, attentionCounts, upstreamLimits, answerCache };
  const telemetry = joinTelemetry(environment, { ...base, ...readings, siblingCount });
  const supplierAudit = await joinSupplierAudit({
    ...base,
    channel: (id) => relay.core.catalog.current.channel(id),
    ask: (question) => channelUpstream.ask(question),
  });
  const relay = await createRelay({
    ...(telemetry && { watcher: telemetry.watcher }),
    observer: supplierAudit.observer,
    renewKey,
    store,
    settings,
    ledger,
    egress,
    log,
    sessionOf: playgroundUser(access.parts.authenticator, settings),
    gate,
    ...(options.callerSeconds === undefined ? {} : { callerSeconds: options.callerSeconds }),
  });
  const overload = watchOverload({
    gate,
    calls: () => relay.calls,
    // Settles a hold that does not exist: takes the path of every settlement and changes nothing.
    probe: () => ledger.probe(),
    log,
  });
  const tasks = createTasks(relay.core, { pollSeconds: environment.taskPollSeconds, dataDir });
  const wakeMail = (afterMs: number) => jobs.wake(MAIL_JOB, afterMs);
  const accounts = joinAccounts({ ...base, egress, dataDir, wakeMail, relay });
  const channelParts = { ...channelDependencies(base, egress, relay), renewKey };
  const channelUpstream = createChannelUpstream(channelParts);
  const notices = joinNotices({ ...base, egress, mailer: accounts.mailQueue });
  const health = createHealth(store, ledger);
  void base.superseded.then(() => health.drain());
  const node = joinNode({ ...base, environment, relay, gate, health, jobs: () => jobs.list() });
  const jobs = joinJobs({
    ...base,
    environment,
    nodeId,
    reporter: node.reporter,
    checkAttention: () => node.attention.run(),
    checkSignOn: accounts.checkSignOn,
    egress,
    mail: accounts.mailQueue,
    tasks,
    notices,
    wallet,
    suppliers: supplierAudit,
    testChannels: (signal) => channelUpstream.testAll(signal),
  });
  const limiter = createLimiter(() => ({ ...limitsOf(settings.current), ...options.limits }));
  const consoleFiles = createConsoleFiles(options.consoleDirectory ?? CONSOLE_DIRECTORY);
  const web = createWebApplication({
    api,
    handlers: {
      ...joinSite({ ...base, ...wallet, egress, jobs, relay, demoAccounts: options.demoAccounts }),
      cluster: createClusterHandlers({ store, nodeId }),
      attention: node.attention.handlers,
      ...accounts.handlers,
      audit: createAuditHandlers({ store, checkTrail: () => checkTrail(store) }),
      tokens: createTokenHandlers({ store, settings, ledger }),
      ...wallet.handlers,
      ...notices.handlers,
      options: createSettingsHandlers({
        store,
        settings,
        configurationDrift: () => configurationDrift({ store, settings }),
      }),
      logs: createLogHandlers({
        store,
        settings,
        endedTasks: endedTasks(store),
        describeRefusal: refusalSentence,
      }),
      ...joinPrices({ store, settings, egress, relay, channels: channelParts }),
      dashboard: createDashboardHandlers(store),
      drawing: createDrawingHandlers({ store, settings, facts: drawingFacts(store) }),
      tasks: createTaskHandlers({ store, partsOf: (task) => tasks.partsOf(task), ...taskFacts }),
      channels: createChannelHandlers({ ...channelParts, onNewAddress: channelUpstream.learnFormats }),
      channelUpstream: channelUpstream.handlers,
    },
    mountMore: joinOrganizationApi(base),
    callbacks: wallet.callbacks,
    store,
    settings,
    ...access.parts,
    limiter,
    addresses,
    consoleFiles,
    publicPages: joinPublicPages({ ...base, ...wallet, relay, ...consoleFiles }),
    health,
    metricsPage: telemetry?.page,
    version: VERSION,
    log,
  });
  jobs.start();
  let listener: Listener | null = null;
  return {
    ...base,
    firstStart,
    fetch: (request, connection = null) => web.fetch(request, connection),
    listen() {
      listener = createListener({
        hostname: environment.host,
        port: environment.port,
        sharedPort: options.sharedPort ?? false,
        certificateFiles: environment.certificateFiles,
        routes: { ...relay.routes, ...tasks.routes, ...organizationRoutes(relay.core, base, limiter) },
        pageRoutes: { paths: ['/models', '/models/*'], isForBrowser },
        webPaths: ['/v1/organization/*', '/scim/v2/*'],
        handlerOfMisspeltPath: relay.handlerOfMisspeltPath,
        websocket: relay.websocket,
        fetch: (request, connection) => web.fetch(request, connection),
        addressOf: (request, connection) => addresses.addressOf(request, connection),
        mostPerAddress: () => settings.current.MaxRequestsPerAddress,
        log,
        drainSeconds: environment.drainSeconds,
        ...(options.callerSeconds?.idle === undefined ? {} : { idleSeconds: options.callerSeconds.idle }),
      });
      return listener;
    },
    async close() {
      health.drain();
      relay.drain();
      overload.stop();
      await listener?.close();
      // A stream that was cut at the end of the drain is charged before the node's heartbeat ends with the jobs.
      await relay.settled();
      await jobs.stop();
      await node.close();
      await channelUpstream.close();
      await tasks.close();
      await relay.close();
      await supplierAudit.close();
      await telemetry?.close();
      egress.close();
      stopFollowing();
      settings.close();
      access.close();
      await ledger.close();
      await store.close();
    },
  };
}
