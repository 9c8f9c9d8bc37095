/** `drumlin completion`: what the Tab key knows of this program, made of the commands themselves. */
import { Argument, type Command } from 'commander';
import type { Shell } from './completion-scripts.ts';

const EXAMPLES = `
Examples:
  eval "$(drumlin completion bash)"                                          in ~/.bashrc
  drumlin completion zsh > "\${fpath[1]}/_drumlin"                            once, then a new shell
  drumlin completion fish > ~/.config/fish/completions/drumlin.fish          once
`;

export function register(program: Command): void {
  program
    .command('completion')
    .description('print a script with which the shell completes commands, flags and their values')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => {
      const [{ completionScript }, { commandTree }] = await Promise.all([
        import('./completion-scripts.ts'),
        import('./completion-tree.ts'),
      ]);
      process.stdout.write(completionScript(shell, commandTree(program)));
    });
}
