// One process at a time does a piece of work in this checkout (the install, the build of the console); others wait for it.
// The lock is a file that names its owner's processes. It stays behind when the owner is killed: the next one takes it over and
// is told so, because the work was cut short. Plain Node: it runs before anything is installed.
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

const POLL_MS = 200;
const HEARTBEAT_MS = 5000;
/** The longest time between two heartbeats of an owner on another machine, whose processes cannot be seen from here. */
const SILENT_MS = 60_000;
/** A process id can belong to another program by now: no work takes this long. */
const LONGEST_MS = 30 * 60_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists too.
    return error.code === 'EPERM';
  }
}

/** Undefined without a lock; `text` identifies the lock, so that a takeover removes no other. */
function readLock(file) {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, ageMs: Date.now() - statSync(file).mtimeMs, ...JSON.parse(text) };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return { text: readFileSync(file, 'utf8'), pids: [], ageMs: 0 };
    throw error;
  }
}

/** True when the owner ended without removing its lock. */
export function isStale({ host, pids, ageMs }) {
  if (host !== undefined && host !== hostname()) return ageMs > SILENT_MS;
  return ageMs > LONGEST_MS || !pids.some(isRunning);
}

/** Written whole under another name and then linked: no other process reads half a lock, and of two only one succeeds. */
function tryToTake(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the lock that was found stale. Another process may have taken it over meanwhile: that one is put back. */
function removeStale(file, text) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Waits until this process owns the lock; resolves with true when an earlier owner was cut short. */
async function take(file, text, onWait) {
  let wasCutShort = false;
  let hasSaid = false;
  for (;;) {
    if (tryToTake(file, text())) {
      // Longer than a takeover by mistake lasts, see removeStale.
      await pause(50);
      if (readLock(file)?.text === text()) return wasCutShort;
    }
    const found = readLock(file);
    if (found && isStale(found)) {
      wasCutShort = true;
      removeStale(file, found.text);
    } else if (found) {
      // Its first process may have been killed while the one that works for it goes on.
      if (!hasSaid) onWait(found.pids.find(isRunning));
      hasSaid = true;
      await pause(POLL_MS);
    }
  }
}

/** The pids of a lock that is held at this moment or was left behind; undefined when there is none. */
export const lockIn = (file) => readLock(file)?.pids;

/**
 * Runs `work` while no other process of this checkout does. It receives `wasCutShort` (an earlier owner was killed) and `alsoRuns`
 * (names a process that works for this one and may outlive it). When it throws, the lock stays, with no owner: the next one
 * hears that the work was cut short.
 */
export async function whileLocked(file, { onWait = () => {} }, work) {
  const pids = [process.pid];
  const host = hostname();
  const token = `${process.pid}-${Date.now()}-${Math.random()}`;
  const text = () => JSON.stringify({ pids, host, token });
  const wasCutShort = await take(file, text, onWait);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimesSync(file, now, now);
  }, HEARTBEAT_MS);
  const alsoRuns = (pid) => {
    pids.push(pid);
    replace(file, text());
  };
  try {
    const result = await work({ wasCutShort, alsoRuns });
    rmSync(file, { force: true });
    return result;
  } catch (error) {
    replace(file, JSON.stringify({ pids: [], host, token }));
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

function replace(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
