# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads the results of all measurers, and makes every table, figure and page from them."""
