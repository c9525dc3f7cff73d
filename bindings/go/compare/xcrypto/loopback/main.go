// SPDX-License-Identifier: Apache-2.0 OR MIT

// Command loopback sends bytes from an SSH client to a server, which sends them back, under chacha20-poly1305@openssh.com, with
// golang.org/x/crypto/ssh. Built with and without what patch.sh copies, it shows that both understand each other, and what they
// cost.
//
//	loopback [-mib N] [-rekey BYTES]                       a client and a server, over TCP; prints their CPU time
//	loopback -serve                                        a server for one connection; prints its address
//	loopback [-mib N] [-rekey BYTES] -server PROGRAM       a client, and this program with -serve
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

func main() {
	mib := flag.Int("mib", 64, "how much is sent in each direction, in MiB")
	rekey := flag.Uint64("rekey", 0, "after how many bytes there are new keys, or 0 for x/crypto's choice")
	serve := flag.Bool("serve", false, "be a server")
	program := flag.String("server", "", "the program that is the server")
	flag.Parse()
	log.SetFlags(0)

	config := ssh.Config{Ciphers: []string{ssh.CipherChaCha20Poly1305}, RekeyThreshold: *rekey}
	var address string
	if *program != "" {
		command := exec.Command(*program, "-serve")
		command.Stderr = os.Stderr
		output, err := command.StdoutPipe()
		check(err)
		check(command.Start())
		defer func() { check(command.Wait()) }()
		_, err = fmt.Fscanln(output, &address)
		check(err)
	} else {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		if *serve {
			fmt.Println(listener.Addr())
			check(server(listener, config))
			return
		}
		address = listener.Addr().String()
		go func() { check(server(listener, config)) }()
	}
	before := cpu()
	check(client(address, config, *mib<<20))
	fmt.Printf("%d MiB both ways: %d ms of CPU time\n", *mib, (cpu() - before).Milliseconds())
}

func check(err error) {
	if err != nil {
		log.Fatal("loopback: ", err)
	}
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// server accepts a connection, and sends back what it receives in each channel.
func server(listener net.Listener, config ssh.Config) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return err
	}
	of := &ssh.ServerConfig{Config: config, NoClientAuth: true}
	of.AddHostKey(signer)
	connection, err := listener.Accept()
	if err != nil {
		return err
	}
	_, channels, requests, err := ssh.NewServerConn(connection, of)
	if err != nil {
		return err
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, requests, err := offered.Accept()
		if err != nil {
			return err
		}
		go ssh.DiscardRequests(requests)
		if _, err := io.CopyBuffer(struct{ io.Writer }{channel}, struct{ io.Reader }{channel}, make([]byte, 1<<15)); err != nil {
			return err
		}
		if err := errors.Join(channel.CloseWrite(), channel.Close()); err != nil {
			return err
		}
	}
	return nil
}

// client sends n bytes, and compares those that come back.
func client(address string, config ssh.Config, n int) error {
	connection, err := ssh.Dial("tcp", address, &ssh.ClientConfig{
		Config:          config,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), // a key of this test
	})
	if err != nil {
		return err
	}
	channel, requests, err := connection.OpenChannel("echo", nil)
	if err != nil {
		return err
	}
	go ssh.DiscardRequests(requests)

	pattern := make([]byte, 1<<16+1<<15)
	rand.Read(pattern[:1<<16])
	copy(pattern[1<<16:], pattern)
	// part returns at most 32 KiB of the message, which repeats 64 KiB.
	part := func(at, most int) []byte { return pattern[at%(1<<16):][:min(most, n-at, 1<<15)] }
	sent := make(chan error, 1)
	go func() {
		for at := 0; at < n; {
			written, err := channel.Write(part(at, 1<<15))
			if at += written; err != nil {
				sent <- err
				return
			}
		}
		sent <- channel.CloseWrite()
	}()
	buffer := make([]byte, 1<<15)
	for at := 0; ; {
		read, err := channel.Read(buffer)
		if read > n-at || !bytes.Equal(buffer[:read], part(at, read)) {
			return fmt.Errorf("other bytes came back after %d", at)
		}
		at += read
		if err == io.EOF && at == n {
			break
		}
		if err != nil {
			return errors.Join(fmt.Errorf("after %d bytes", at), err)
		}
	}
	return errors.Join(<-sent, connection.Close())
}
