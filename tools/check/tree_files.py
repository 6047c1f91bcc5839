# SPDX-License-Identifier: Apache-2.0
"""The files of the tree that the checks look at."""
import os
import subprocess


def tree_files(root, *folders):
    """Paths from the root of what git has or would add, as it stands on disk, sorted; of the
    whole tree where no folder is named. Where there is no git: every file of the folders."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-coz", "--exclude-standard", "--",
                             *folders], capture_output=True, check=False)
    if listed.returncode == 0:
        paths = {os.fsdecode(name) for name in listed.stdout.split(b"\0") if name}
    else:
        paths = {os.path.relpath(os.path.join(base, name), root)
                 for folder in folders or ("",)
                 for base, _, names in os.walk(os.path.join(root, folder)) for name in names}
    return sorted(path for path in paths if os.path.isfile(os.path.join(root, path)))
