# SPDX-License-Identifier: Apache-2.0
"""The wheel's tag: any Python 3, one platform, since what is compiled is the library inside."""
from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", self.plat_name


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel})
