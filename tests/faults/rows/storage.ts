import { plan, type Section } from '#tests/faults/plan.ts';

export const storage: Section = {
  title: 'Crash and storage',
  faults: [
    plan(
      'C1',
      'the gateway on SQLite is killed (-9) again and again under load',
      'no acknowledged charge is lost or doubled; it starts quickly',
    ),
    plan(
      'C2',
      'one of two nodes on PostgreSQL is killed',
      'the other node resolves its holds; every unit is accounted for',
    ),
    plan(
      'C3',
      'killed (-9) at each step of a call’s money',
      'what was promised for that step holds after the restart',
    ),
    plan(
      'C4',
      'PostgreSQL crashes and restarts under load',
      'calls get 503 and do not hang; the spool is booked; nothing is lost',
    ),
    plan(
      'C5',
      'PostgreSQL accepts connections and does not answer',
      'statements time out; new calls are refused soon',
    ),
    plan('C6', 'PostgreSQL has no free connection', 'calls queue, then get 503'),
    plan('C7', 'deadlocks and serialisation errors', 'repeated; nothing is done twice'),
    plan(
      'C8',
      'the shared counters of limits are deleted (rows of PostgreSQL; there is no Redis)',
      'calls are served; a limit begins anew',
    ),
    plan(
      'C9',
      'another program locks the SQLite file',
      'a second gateway does not start; calls get 503, then are served again',
    ),
    plan(
      'C10',
      'the disk is full',
      'no crash; reads and console work; new calls get 503; service resumes with space',
    ),
    plan('C11', 'the disk turns read-only', 'no call is admitted; it is reported'),
    plan(
      'C12',
      'a reader holds SQLite’s write-ahead log open for long',
      'the log stays bounded or an alarm is raised',
    ),
    plan('C13', 'bytes of the database file are damaged', 'the start is refused with a clear message'),
    plan('C14', 'backup under load, and its restore', 'the copy’s books balance'),
    plan('C15', 'killed (-9) in the middle of a migration', 'the next start completes it'),
    plan(
      'C16',
      'clocks of nodes differ by minutes or a day',
      'times come from the database; no hold is taken early',
    ),
    plan('C17', 'nodes behind nginx are restarted one by one under load', 'no call fails; streams finish'),
    plan('C18', 'an SQLite that is too old', 'the start is refused'),
  ],
};
