// A writer thread that dies at one labelled step: `FAILPOINT=<procedure>:<step>`, where the step is before the procedure,
// after it, before the commit, or after the commit but before its answer is sent.
import { ledgerWriter } from '#server/money/ledger/sqlite/procedures.ts';
import { runWriter, type Procedure } from '#server/platform/store/sqlite/writer-thread.ts';

const [failingProcedure = '', failingStep = ''] = (process.env['FAILPOINT'] ?? '').split(':');
let hasRun = false;

function die(step: string): void {
  if (step === failingStep && hasRun) process.kill(process.pid, 'SIGKILL');
}

const writer = ledgerWriter();
const procedures: Record<string, Procedure> = {};
for (const [name, procedure] of Object.entries(writer.procedures)) {
  procedures[name] = (context, argument, text) => {
    hasRun ||= name === `ledger.${failingProcedure}`;
    die('before-procedure');
    const result = procedure(context, argument, text);
    die('after-procedure');
    return result;
  };
}

const port = globalThis as unknown as Worker;
const send = port.postMessage.bind(port);
port.postMessage = (message: unknown) => {
  die('after-commit');
  send(message);
};

runWriter({
  ...writer,
  procedures,
  onBatchEnd(context) {
    writer.onBatchEnd?.(context);
    die('before-commit');
  },
});
