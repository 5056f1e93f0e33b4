// One table for everything an upstream makes in its own time, with the hold that pays for it. The two tables of the first
// migration were never written to.
import { index, TableMaker, type Migration } from './migration.ts';

export const tasks: Migration = {
  name: '0032-tasks',
  async up(db, dialect) {
    await db.schema.dropTable('midjourneys').execute();
    await db.schema.dropTable('tasks').execute();
    await new TableMaker(db, dialect, 'tasks')
      .id()
      .uniqueText('hold_id')
      .oneOf('money', ['open', 'settled', 'released'], 'open')
      .requiredText('platform', 'action', 'model')
      .requiredIntegers('user_id')
      .text('username')
      .integers('token_id')
      .text('group')
      .integers('channel_id')
      .text('task_id')
      .integers('code')
      .text('status', 'progress', 'prompt', 'prompt_en', 'result_url', 'fail_reason')
      .requiredIntegers('submit_ms')
      .integers('start_ms', 'finish_ms')
      .amounts('quota')
      .text('properties', 'snapshot', 'notify_url')
      .requiredIntegers('deadline_at', 'next_poll_at')
      .create();
    await index(db, 'tasks', ['task_id']);
    await index(db, 'tasks', ['user_id', 'submit_ms']);
    await index(db, 'tasks', ['submit_ms']);
    await index(db, 'tasks', ['money', 'next_poll_at']);
  },
};
